import { runService } from '@leasehold/service';
import { readConfig } from './config.js';
import { assembleImageWorker } from './worker.js';

await runService({ name: 'image-worker', main: async (env, logger) => assembleImageWorker(readConfig(env), logger) });

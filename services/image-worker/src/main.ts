import { runService } from '@leasehold/service';
import { readConfig } from './config.js';
import { assembleWorker } from './worker.js';

await runService({ name: 'image-worker', main: async (env, logger) => assembleWorker(readConfig(env), logger) });

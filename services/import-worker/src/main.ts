import { runService } from '@leasehold/service';
import { readConfig } from './config.js';
import { assembleImportWorker } from './worker.js';

await runService({ name: 'import-worker', main: async (env, logger) => assembleImportWorker(readConfig(env), logger) });

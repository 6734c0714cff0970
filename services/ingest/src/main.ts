import { runService } from '@leasehold/service';
import { readConfig } from './config.js';
import { assemble } from './server.js';

// The entry of `node dist/main.js`.
await runService({ name: 'ingest', main: async (env, logger) => assemble(readConfig(env), logger) });

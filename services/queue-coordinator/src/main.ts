import { runService } from '@leasehold/service';
import { readConfig } from './config.js';
import { assemble } from './server.js';

await runService({ name: 'queue-coordinator', main: async (env, logger) => assemble(readConfig(env), logger) });

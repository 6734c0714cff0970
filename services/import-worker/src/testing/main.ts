import { runService } from '@leasehold/service';
import { failpointsFrom } from '@leasehold/worker-runtime/testing';
import { readConfig } from '../config.js';
import { assembleImportWorker } from '../worker.js';
import { failpoints } from './failpoints.js';
import { losingReplies, type Unlost } from './losing-replies.js';
import { pausingHandler } from './pausing-handler.js';

// The same worker, whose runs stand still at the points that LEASEHOLD_FAILPOINTS lists, until the process gets SIGUSR2. For tests and demonstrations.
await runService({
  name: 'import-worker',
  main: async (env, logger) => {
    const config = readConfig(env);
    const points = failpointsFrom(env, failpoints, logger);
    const unlost: Unlost = new Map();
    return assembleImportWorker(config, logger, {
      handlerOf: (parts) => pausingHandler(parts, points, unlost),
      connectionOf: (client) => losingReplies(client, points, unlost),
    });
  },
});

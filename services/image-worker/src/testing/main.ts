import { runService } from '@leasehold/service';
import { failpointsFrom } from '@leasehold/worker-runtime/testing';
import { readConfig } from '../config.js';
import { assembleImageWorker } from '../worker.js';
import { failpoints } from './failpoints.js';
import { pausingHandler } from './pausing-handler.js';

// The same worker, whose runs stand still at the points that LEASEHOLD_FAILPOINTS lists, until the process gets SIGUSR2. For tests and demonstrations.
await runService({
  name: 'image-worker',
  main: async (env, logger) => {
    const config = readConfig(env);
    const points = failpointsFrom(env, failpoints, logger);
    return assembleImageWorker(config, logger, (steps) => pausingHandler(steps, points));
  },
});

import { fileURLToPath } from 'node:url';
import { openStore, versionedStore } from '@leasehold/object-store';
import { systemClock, type Assembly, type Logger } from '@leasehold/service';
import { assembleWorker, type JobHandler } from '@leasehold/worker-runtime';
import type { WorkerConfig } from './config.js';
import { identity } from './identity.js';
import type { PhotoMade, PhotoOrder } from './photo/order.js';
import { photoHandler } from './photo/photo-handler.js';
import { photoSteps, type PhotoSteps } from './photo/steps.js';
import { PicturePool } from './rendering/pool/picture-pool.js';

/**
 * Puts the worker together; nothing acts before the lifecycle starts, but the store's directory, which is made when missing.
 * @param handlerOf what runs the steps on a job; tests put failpoints between them
 */
export const assembleImageWorker = (config: WorkerConfig, logger: Logger, handlerOf: (steps: PhotoSteps) => JobHandler<PhotoOrder, PhotoMade> = photoHandler): Promise<Assembly> =>
  assembleWorker({
    ...identity,
    settings: config,
    logger,
    partsOf: async ({ registry }) => {
      const opened = await openStore(config.store);
      const pool = new PicturePool({
        program: fileURLToPath(new URL('./rendering/pool/child/main.js', import.meta.url)),
        children: config.concurrency,
        timeoutMs: config.renderTimeoutMs,
        memoryBytes: config.renderMemoryBytes,
        logger,
        registry,
      });
      // A run beyond the children fetches its source and waits for one; the stores and settlements of others go on meanwhile. A lease that the runtime itself kept back
      // would do nothing of that.
      const runs = config.concurrency + config.prefetch;
      const steps = photoSteps({ store: opened.store, studio: pool, limits: config.limits, runs, storeTimeoutMs: config.storeTimeoutMs, clock: systemClock });
      return { handler: handlerOf(steps), concurrency: runs, prefetch: 0, dependencies: [versionedStore(opened), pool] };
    },
  });

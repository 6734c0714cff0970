import type { JobHandler } from '@leasehold/worker-runtime';
import type { Failpoints } from '@leasehold/worker-runtime/testing';
import type { PhotoMade, PhotoOrder } from '../photo/order.js';
import { photoHandler } from '../photo/photo-handler.js';
import type { PhotoSteps } from '../photo/steps.js';
import type { Failpoint } from './failpoints.js';

interface Run {
  readonly fence: bigint;
  readonly jobId: string;
}

/** The worker's own handler on the worker's own steps, with failpoints between them. */
export function pausingHandler(steps: PhotoSteps, failpoints: Failpoints<Failpoint>): JobHandler<PhotoOrder, PhotoMade> {
  return {
    ...photoHandler(steps),
    run: async (job) => {
      await failpoints.reach('granted', job);
      return photoHandler(pausing(steps, failpoints, job)).run(job);
    },
  };
}

function pausing(steps: PhotoSteps, failpoints: Failpoints<Failpoint>, run: Run): PhotoSteps {
  const then = async <T>(step: Promise<T>, point: Failpoint): Promise<T> => {
    const done = await step;
    await failpoints.reach(point, run);
    return done;
  };
  return {
    fetch: (source, signal) => then(steps.fetch(source, signal), 'fetched'),
    make: (bytes, order, o) => then(steps.make(bytes, order, o), 'encoded'),
    store: (key, bytes, o) => then(steps.store(key, bytes, o), 'stored'),
  };
}

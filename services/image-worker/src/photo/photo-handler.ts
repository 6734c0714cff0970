import { JobFault, LeaseUntrusted, type JobHandler, type RunningJob } from '@leasehold/worker-runtime';
import { faultClassOf, PhotoFault } from '../reasons.js';
import { contractV1 } from './contract-v1.js';
import type { PhotoMade, PhotoOrder } from './order.js';
import { renditionKey } from './rendition-key.js';
import type { PhotoSteps } from './steps.js';

/** What the handler reads; the build's manifest says the same. */
export const photoContracts: Pick<JobHandler<PhotoOrder, PhotoMade>, 'kind' | 'contracts'> = { kind: 'image', contracts: new Map([[1, contractV1]]) };

/** The kind `image`: from a confirmed photo to one WebP. */
export function photoHandler(steps: PhotoSteps): JobHandler<PhotoOrder, PhotoMade> {
  return {
    ...photoContracts,
    run: (job) => makePhoto(job, steps).catch((error: unknown) => {
      throw asJobFault(error, job.signal);
    }),
  };
}

async function makePhoto(job: RunningJob<PhotoOrder>, steps: PhotoSteps): Promise<PhotoMade> {
  const { model, namespace, fence, signal } = job;
  const key = renditionKey({ namespace, prefix: model.renditionPrefix, fence });
  job.progress(0, 'fetching');
  const bytes = await steps.fetch(model.source, signal);
  signal.throwIfAborted();
  job.progress(20, 'decoding');
  const { photo, source } = await steps.make(bytes, model.spec, { signal, onJudged: () => job.progress(30, 'encoding') });
  // The last look before something of this run is in the store: a run that was revoked meanwhile leaves nothing behind to sweep.
  signal.throwIfAborted();
  job.progress(90, 'storing');
  const { versionId, sizeBytes, sha256 } = await steps.store(key, photo.bytes, signal);
  return { rendition: { key, versionId, sizeBytes, sha256, width: photo.width, height: photo.height }, source };
}

// What it does not know is passed on: the runtime makes INTERNAL of it and logs it as the surprise that it is.
function asJobFault(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof PhotoFault) return new JobFault(error.reason, faultClassOf[error.reason], error.message, { cause: error });
  const stopped: unknown = signal.aborted ? signal.reason : undefined;
  if (stopped instanceof LeaseUntrusted && stopped.runBoundReached) return new JobFault('TIMEOUT', faultClassOf.TIMEOUT, stopped.message, { cause: error });
  return error;
}

import { JobFault, LeaseUntrusted, type JobHandler, type RunningJob } from '@leasehold/worker-runtime';
import { faultClassOf, PhotoFault } from '../reasons.js';
import { contractV1 } from './contracts/v1/codec.js';
import { contractV2 } from './contracts/v2/codec.js';
import type { PhotoMade, PhotoOrder, StoredRendition } from './order.js';
import { kindOfFormat, runPrefix } from './rendition-key.js';
import type { PhotoSteps } from './steps.js';

/** What the handler reads; the build's manifest says the same. */
export const photoContracts: Pick<JobHandler<PhotoOrder, PhotoMade>, 'kind' | 'contracts'> = { kind: 'image', contracts: new Map([[1, contractV1], [2, contractV2]]) };

/** The kind `image`: from a confirmed photo to its renditions, all of them or none. */
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
  const prefix = runPrefix({ namespace, prefix: model.renditionPrefix, fence });
  job.progress(0, 'fetching');
  const bytes = await steps.fetch(model.source, signal);
  signal.throwIfAborted();
  job.progress(20, 'decoding');
  const { pictures, placeholder, source } = await steps.make(bytes, model.pictures, { signal, onJudged: () => job.progress(30, 'encoding') });
  job.progress(90, 'storing');
  const renditions: StoredRendition[] = [];
  for (const [i, { name, format }] of model.pictures.renditions.entries()) {
    const picture = pictures[i];
    if (picture === undefined) throw new PhotoFault('INTERNAL', 'fewer pictures were made than ordered');
    // A look before each that is stored: a run that was revoked meanwhile leaves no more behind to sweep than it must.
    signal.throwIfAborted();
    const { extension, contentType } = kindOfFormat[format];
    const key = `${prefix}${name}.${extension}`;
    const { versionId, sizeBytes, sha256 } = await steps.store(key, picture.bytes, { contentType, signal });
    renditions.push({ name, key, versionId, sizeBytes, sha256, contentType, width: picture.width, height: picture.height, frames: picture.frames });
  }
  return { renditions, placeholder: placeholder && { webp: placeholder.bytes, width: placeholder.width, height: placeholder.height }, source };
}

// What it does not know is passed on: the runtime makes INTERNAL of it and logs it as the surprise that it is.
function asJobFault(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof PhotoFault) return new JobFault(error.reason, faultClassOf[error.reason], error.message, { cause: error });
  const stopped: unknown = signal.aborted ? signal.reason : undefined;
  if (stopped instanceof LeaseUntrusted && stopped.runBoundReached) return new JobFault('TIMEOUT', faultClassOf.TIMEOUT, stopped.message, { cause: error });
  return error;
}

import { stat, access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, FileState, RejectionReason, type File, type FilesClient } from '@leasehold/client';
import pMap from 'p-map';
import { codeOf } from '../data/folder.js';
import { shownPath } from '../shown-path.js';
import { Course } from './course.js';
import { resultNames } from './labels.js';
import type { Photo, PhotoEnd, PhotoResult } from './photo.js';
import type { ProgressView } from './progress-view.js';

export interface PhotoJob {
  readonly client: FilesClient;
  readonly photos: readonly Photo[];
  /** Where the renditions are put. */
  readonly results: string;
  /** Photos under way at once. */
  readonly concurrency: number;
  readonly view: ProgressView;
  readonly signal: AbortSignal;
}

/**
 * The main job: hands every photo over, watches what becomes of it, fetches what was made. A photo that fails is a result like any other.
 * Rejects with the signal's reason only.
 */
export async function runPhotoJob(job: PhotoJob): Promise<PhotoResult[]> {
  const names = resultNames(job.photos);
  return pMap(job.photos, (photo) => runOne(job, photo, join(job.results, names.get(photo) ?? photo.label)), { concurrency: job.concurrency, signal: job.signal });
}

async function runOne(job: PhotoJob, photo: Photo, target: string): Promise<PhotoResult> {
  const startedAt = performance.now();
  const course = new Course((state) => job.view.changed(photo, state));
  const end = await endOf(job, photo, target, course).catch((error: unknown) => {
    job.signal.throwIfAborted();
    return failure(error);
  }).finally(() => course.close());
  const result = { photo, end, attempt: course.attempt, ms: performance.now() - startedAt };
  job.view.ended(result);
  return result;
}

async function endOf({ client, signal }: PhotoJob, photo: Photo, target: string, course: Course): Promise<PhotoEnd> {
  const unreadable = await whyUnreadable(photo.path);
  if (unreadable !== undefined) return { ready: false, word: 'UNREADABLE', reason: unreadable, explanation: shownPath(photo.path) };
  course.begin();
  const { name } = await client.uploadPhoto(photo.path, { signal });
  const file = await client.waitUntilFinal(name, { signal, onChange: (card) => course.heard(card) });
  if (file.state !== FileState.READY) return notReady(file);
  const { width, height, sizeBytes, sourceWidth, sourceHeight } = await client.downloadTo(name, target, { signal });
  return {
    ready: true,
    before: { bytes: Number(file.source?.sizeBytes ?? 0n), width: sourceWidth, height: sourceHeight },
    after: { bytes: Number(sizeBytes), width, height },
    file: target,
  };
}

async function whyUnreadable(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'not a file';
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : code;
  }
}

const notReady = ({ state, rejection }: File): PhotoEnd => ({
  ready: false,
  word: nameOf(FileState, state),
  reason: rejection === undefined ? '' : nameOf(RejectionReason, rejection.reason),
  explanation: rejection?.explanation ?? '',
});

const failure = (error: unknown): PhotoEnd =>
  error instanceof Fault ? { ready: false, word: 'REFUSED', reason: error.reason, explanation: error.message } : { ready: false, word: 'FAILED', reason: codeOf(error), explanation: '' };

const nameOf = (names: Readonly<Record<string, number | string>>, value: number): string => Object.entries(names).find(([, each]) => each === value)?.[0] ?? String(value);

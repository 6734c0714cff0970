import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { EmbeddedStore } from '@leasehold/object-store';
import { download, storedKeys, temporaryStore, upload } from '@leasehold/object-store/testing';
import { createLogger, systemClock } from '@leasehold/service';
import { JobFault, LeaseLost, LeaseUntrusted } from '@leasehold/worker-runtime';
import { Failpoints, testJob, type TestJob } from '@leasehold/worker-runtime/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultLimits } from '../rendering/limits.js';
import { makePhotoHere } from '../rendering/photo-making.js';
import type { Failpoint } from '../testing/failpoints.js';
import { testFile } from '../testing/manifest.js';
import { onePhoto, orderOf, webp } from '../testing/orders.js';
import { pausingHandler } from '../testing/pausing-handler.js';
import type { PhotoOrder } from './order.js';
import { photoHandler } from './photo-handler.js';
import { photoSteps, type PhotoSteps, type Studio } from './steps.js';

const inProcess: Studio = { make: makePhotoHere };
let store: EmbeddedStore;
let remove: () => Promise<void>;
let steps: PhotoSteps;
const log = createLogger({ service: 'image-worker', level: 'silent' });

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
  steps = photoSteps({ store, studio: inProcess, limits: defaultLimits, runs: 1, storeTimeoutMs: 60_000, clock: systemClock });
});
afterEach(() => remove());

async function told(file: string, over: { fence?: bigint; order?: Partial<PhotoOrder> } = {}): Promise<TestJob<PhotoOrder>> {
  const version = await upload(store, 'uploads/team/photo', testFile(file));
  const model: PhotoOrder = {
    source: { ...version, sha256: version.sha256 }, renditionPrefix: 'renditions/team/photo/', pictures: onePhoto({ effort: 0 }), ...over.order,
  };
  return testJob(model, { fence: over.fence ?? 7n });
}

const failure = (run: Promise<unknown>): Promise<unknown> => run.then(() => 'made', (error: unknown) => error);

test('the result names what was stored, and what the source was, exactly', async () => {
  const { job, progress } = await told('img-exif-orientation-6.jpg');
  const { renditions: [rendition], source } = await photoHandler(steps).run(job);
  if (rendition === undefined) throw new Error('nothing was made');
  expect(rendition).toMatchObject({ key: 'renditions/team/photo/7/photo.webp', width: 60, height: 40 });
  expect(source).toEqual({ format: 'jpeg', width: 60, height: 40, pages: 1 });
  const bytes = await download(store, rendition.key, rendition.versionId);
  expect(rendition.sizeBytes).toBe(bytes.length);
  expect(rendition.sha256.equals(createHash('sha256').update(bytes).digest())).toBe(true);
  expect(progress.map(({ stage }) => stage)).toEqual(['fetching', 'decoding', 'encoding', 'storing']);
});

test('two runs of one job store under keys of their own, and neither touches the other\'s bytes', async () => {
  const first = await photoHandler(steps).run((await told('img-gps.jpg', { fence: 7n })).job);
  const second = await photoHandler(steps).run((await told('img-gps.jpg', { fence: 8n })).job);
  const keys = [first, second].flatMap(({ renditions }) => renditions.map(({ key }) => key));
  expect(new Set(keys).size).toBe(2);
  expect((await storedKeys(store, 'renditions/')).toSorted()).toEqual(keys);
});

describe('a picture at fault', () => {
  test.each([
    ['img-zero-byte.jpg', 'EMPTY'], ['img-html-error-page.jpg', 'UNSUPPORTED_FORMAT'], ['img-truncated-50pct.png', 'TRUNCATED'], ['img-bad-crc-idat.png', 'CORRUPT'],
    ['img-bomb-30000x30000-1bit.png', 'PIXEL_LIMIT'],
  ])('fails the job for good: %s is %s', async (file, reason) => {
    const fault = await failure(photoHandler(steps).run((await told(file)).job));
    expect(fault).toBeInstanceOf(JobFault);
    expect(fault).toMatchObject({ reason, faultClass: 'content' });
    expect(await storedKeys(store, 'renditions/')).toEqual([]);
  });
});

describe('a fault around the picture is technical', () => {
  test('the store went away before the fetch', async () => {
    const { job } = await told('img-gps.jpg');
    await rm(store.directory, { recursive: true });
    expect(await failure(photoHandler(steps).run(job))).toMatchObject({ reason: 'STORE_UNAVAILABLE', faultClass: 'technical' });
  });

  test('the store went away before the photo was stored', async () => {
    const { job } = await told('img-gps.jpg');
    const failing: PhotoSteps = { ...steps, make: async (...asked) => {
      const made = await steps.make(...asked);
      await rm(store.directory, { recursive: true });
      return made;
    } };
    expect(await failure(photoHandler(failing).run(job))).toMatchObject({ reason: 'STORE_UNAVAILABLE', faultClass: 'technical' });
  });

  test('the store does not answer in time', async () => {
    const { job } = await told('img-gps.jpg');
    const silent: EmbeddedStore = Object.assign(Object.create(store), {
      get: (_key: string, _version: string, o: { signal: AbortSignal }) => new Promise((_, reject) => { o.signal.addEventListener('abort', () => reject(o.signal.reason)); }),
    });
    const impatient = photoSteps({ store: silent, studio: inProcess, limits: defaultLimits, runs: 1, storeTimeoutMs: 1, clock: systemClock });
    expect(await failure(photoHandler(impatient).run(job))).toMatchObject({ reason: 'TIMEOUT', faultClass: 'technical' });
  });

  test('the run reached its bound', async () => {
    const { job, stop } = await told('img-gps.jpg');
    stop(new LeaseUntrusted(true));
    expect(await failure(photoHandler(steps).run(job))).toMatchObject({ reason: 'TIMEOUT', faultClass: 'technical' });
  });
});

describe('several renditions', () => {
  const pictures = orderOf([webp({ name: 'page', effort: 0 }), webp({ name: 'card', format: 'jpeg', maxWidth: 30 }), webp({ name: 'modern', format: 'avif', maxWidth: 20, effort: 0 })], { placeholder: true });

  test('are stored each under its name and as what it is, and the result names them in the order of the payload, with the placeholder', async () => {
    const { renditions, placeholder } = await photoHandler(steps).run((await told('img-gps.jpg', { order: { pictures } })).job);
    expect(renditions).toMatchObject([
      { name: 'page', key: 'renditions/team/photo/7/page.webp', contentType: 'image/webp', width: 60, height: 40 },
      { name: 'card', key: 'renditions/team/photo/7/card.jpg', contentType: 'image/jpeg', width: 30, height: 20 },
      { name: 'modern', key: 'renditions/team/photo/7/modern.avif', contentType: 'image/avif', width: 20, height: 13 },
    ]);
    for (const { key, versionId, sizeBytes, sha256, contentType } of renditions) {
      const bytes = await download(store, key, versionId);
      expect(await store.head(key, versionId)).toMatchObject({ contentType, sizeBytes: bytes.length });
      expect([sizeBytes, sha256]).toEqual([bytes.length, createHash('sha256').update(bytes).digest()]);
    }
    expect(placeholder?.webp.length).toBeLessThanOrEqual(1024);
  });

  test('are all official or none: a store that fails at the second fails the run, with a technical reason', async () => {
    let stored = 0;
    const failing: PhotoSteps = { ...steps, store: async (...asked) => {
      stored += 1;
      if (stored === 2) await rm(store.directory, { recursive: true });
      return steps.store(...asked);
    } };
    expect(await failure(photoHandler(failing).run((await told('img-gps.jpg', { order: { pictures } })).job))).toMatchObject({ reason: 'STORE_UNAVAILABLE', faultClass: 'technical' });
    expect(stored).toBe(2);
  });

  test('a run that is revoked between two of them stores no more', async () => {
    const { job, stop } = await told('img-gps.jpg', { order: { pictures } });
    const reason = new LeaseLost();
    const revoked: PhotoSteps = { ...steps, store: (...asked) => steps.store(...asked).finally(() => stop(reason)) };
    expect(await failure(photoHandler(revoked).run(job))).toBe(reason);
    expect(await storedKeys(store, 'renditions/')).toEqual(['renditions/team/photo/7/page.webp']);
  });
});

test('a prefix of another namespace makes nothing', async () => {
  const { job } = await told('img-gps.jpg', { order: { renditionPrefix: 'renditions/others/photo/' } });
  expect(await failure(photoHandler(steps).run(job))).toBeInstanceOf(Error);
  expect(await storedKeys(store, 'renditions/')).toEqual([]);
});

test.each<[Failpoint, keyof PhotoSteps]>([['granted', 'make'], ['fetched', 'make'], ['encoded', 'store']])('a run that is revoked at the point «%s» never gets to %s', async (point, step) => {
  const never = vi.spyOn(steps, step);
  const failpoints = new Failpoints({ points: [point], stops: 1, logger: log });
  const reached = vi.spyOn(failpoints, 'reach');
  const { job, stop } = await told('img-gps.jpg');
  const end = failure(pausingHandler(steps, failpoints).run(job));
  await vi.waitFor(() => expect(reached).toHaveBeenCalledWith(point, expect.anything()));
  const reason = new LeaseLost();
  stop(reason);
  failpoints.release();
  expect(await end).toBe(reason);
  expect(never).not.toHaveBeenCalled();
  expect(await storedKeys(store, 'renditions/')).toEqual([]);
});

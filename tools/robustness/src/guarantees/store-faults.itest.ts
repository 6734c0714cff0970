import { FileState, RejectionReason, type File } from '@leasehold/client';
import { openS3Store, type S3Store } from '@leasehold/object-store';
import { status } from '@leasehold/rpc';
import { leftOut, startFaultyHttpProxy, testBucket, type FaultyHttpProxy, type HttpMischief, type SeenRequest } from '@leasehold/test-stack';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jobRecord } from '../checks/records.js';
import { fencesInStore, strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { downloaded, handOver, once } from '../photos/hand-over.js';
import { photoOf, shows } from '../photos/photo.js';

type Plan = (request: SeenRequest) => HttpMischief | undefined;

/** The fence of the run whose rendition a request writes. */
const fenceOf = ({ method, url }: SeenRequest): string | undefined => (method === 'PUT' ? /\/renditions\/[^/]+\/[^/]+\/(\d+)\//.exec(url)?.[1] : undefined);

describe.skipIf(leftOut('s3'))('on an S3 behind a network that fails', () => {
  let plan: Plan = () => undefined;
  /** How many requests met a fault. */
  let met = 0;
  let proxy: FaultyHttpProxy;
  let store: S3Store;
  let fleet: Fleet;
  let photos = 0;
  beforeAll(async () => {
    const bucket = await testBucket();
    proxy = await startFaultyHttpProxy(bucket.endpoint, (request) => {
      const mischief = plan(request);
      if (mischief !== undefined) met += 1;
      return mischief;
    });
    store = await openS3Store(bucket);
    const env = {
      LEASEHOLD_STORE: bucket.url.replace(bucket.endpoint.replace(/^http/, 's3+http'), proxy.url.replace(/^http/, 's3+http')),
      LEASEHOLD_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      LEASEHOLD_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    };
    fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), ingestEnv: env });
    await fleet.start();
    await fleet.worker({ env: { ...env, LEASEHOLD_STORE_TIMEOUT: '1500ms' } }).start();
  }, 60_000);
  afterEach(() => {
    plan = () => undefined;
    met = 0;
  });
  afterAll(async () => {
    await fleet.end();
    store.close();
    await proxy.stop();
  });

  const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });

  async function handedOver(): Promise<{ card: File; number: number }> {
    photos += 1;
    return { card: await handOver(fleet.files, (await photoOf(photos)).bytes), number: photos };
  }

  /** READY, with the right picture under the fence of the run that counted. */
  async function expectMade({ card, number }: { card: File; number: number }, attempts: number): Promise<File> {
    const ready = await final(card);
    expect(ready.state).toBe(FileState.READY);
    expect(await shows(await photoOf(number), await downloaded(fleet.files, ready))).toBe(true);
    expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts, fence: String(ready.rendition?.fence) });
    return ready;
  }

  async function expectOnlyPromises(): Promise<void> {
    await fleet.ageCards();
    await expect.poll(() => strayObjects({ files: fleet.files, store }), { timeout: 30_000 }).toEqual({ missing: [], extra: [] });
  }

  /** Every write of the first run that comes meets the fault; later runs find the store well. */
  function whileTheFirstRunWrites(mischief: HttpMischief): Plan {
    let victim: string | undefined;
    return (request) => {
      const fence = fenceOf(request);
      victim ??= fence;
      return fence !== undefined && fence === victim ? mischief : undefined;
    };
  }

  test.each<[string, HttpMischief, string, number]>([
    ['answers 503', { kind: 'answer', status: 503 }, 'STORE_UNAVAILABLE', 0],
    ['does not answer', { kind: 'stall' }, 'TIMEOUT', 0],
    ['gets half a put', { kind: 'cut_request', bytes: 40 }, 'STORE_UNAVAILABLE', 0],
    ['stores it and the answer is lost', { kind: 'drop_answer' }, 'STORE_UNAVAILABLE', 1],
  ])('a store that %s costs the run that writes to it one attempt, and the next one is the one official', async (_what, mischief, reason, leastLeft) => {
    plan = whileTheFirstRunWrites(mischief);
    const made = await handedOver();
    const ready = await expectMade(made, 2);
    expect(met).toBeGreaterThan(0);
    expect((await jobRecord(fleet.queue, made.card)).last_reason).toBe(reason);
    const unofficial = (await fencesInStore(store, made.card.name)).filter((fence) => fence !== ready.rendition?.fence);
    expect(unofficial.length).toBeGreaterThanOrEqual(leastLeft);
    if (leastLeft === 0) expect(unofficial).toEqual([]);
    await expectOnlyPromises();
  }, 60_000);

  test('an answer that is lost once costs nothing: the run writes again, one version is official, and the other is swept', async () => {
    plan = (request) => (met === 0 && fenceOf(request) !== undefined ? { kind: 'drop_answer' } : undefined);
    const made = await handedOver();
    const ready = await expectMade(made, 1);
    expect(await fencesInStore(store, made.card.name)).toEqual([ready.rendition?.fence, ready.rendition?.fence]);
    await expectOnlyPromises();
    expect(await shows(await photoOf(made.number), await downloaded(fleet.files, ready))).toBe(true);
  }, 60_000);

  test('a source whose transfer breaks costs one attempt, and the next run makes it', async () => {
    plan = ({ method, url }) => (met === 0 && method === 'GET' && url.includes('/uploads/') ? { kind: 'cut_answer', bytes: 100 } : undefined);
    const made = await handedOver();
    expect((await final(made.card)).state).toBe(FileState.READY);
    const { attempts, last_reason: reason } = await jobRecord(fleet.queue, made.card);
    expect([attempts, reason]).toEqual([2, 'STORE_UNAVAILABLE']);
    expect(met).toBe(1);
  }, 60_000);

  test('a store that says a shorter source is all there is: nothing is made of it, the card is REJECTED at once, and its owner can ask again', async () => {
    plan = ({ method, url }) => (met === 0 && method === 'GET' && url.includes('/uploads/') ? { kind: 'shorten_answer', bytes: 100 } : undefined);
    const { card, number } = await handedOver();
    const rejected = await final(card);
    expect(met).toBe(1);
    expect(rejected).toMatchObject({ state: FileState.REJECTED, rejection: { reason: RejectionReason.SOURCE_MISMATCH } });
    expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'failed', attempts: 1, reason: 'SOURCE_MISMATCH' });
    expect(await fencesInStore(store, card.name)).toEqual([]);
    await expectMade({ card: await fleet.files.retry(rejected), number }, 1);
    await expectOnlyPromises();
  }, 60_000);

  test('a store that is busy when a card is confirmed is UNAVAILABLE to the caller, who may repeat: nothing was decided', async () => {
    const { file } = await fleet.files.create({ options: { effort: 1 } });
    photos += 1;
    const { bytes } = await photoOf(photos);
    const uploaded = await fleet.files.upload(file.name, () => once(bytes));
    plan = ({ url }) => (url.includes('/uploads/') ? { kind: 'answer', status: 503 } : undefined);
    await expect(fleet.files.confirm(file.name, uploaded)).rejects.toMatchObject({ code: status.UNAVAILABLE, reason: 'STORE_UNAVAILABLE' });
    expect(met).toBeGreaterThan(0);
    plan = () => undefined;
    await expectMade({ card: await fleet.files.confirm(file.name, uploaded), number: photos }, 1);
    await expectOnlyPromises();
  }, 60_000);
});

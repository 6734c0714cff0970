import { FileState, RejectionReason, type File } from '@leasehold/client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { jobIdOf, jobRecord, journalOf } from '../checks/records.js';
import { fencesInStore, strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { Mischief } from '../network/mischief.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows, truncatedPhotoOf } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Two coordinators and two ingests, each behind a proxy that breaks the connection once the server has done the work and before the answer passes.
// The caller repeats, at whichever instance it then reaches.

const mischief = new Mischief();
let fleet: Fleet;
let worker: Member;
let photos = 0;
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), coordinators: 2, ingests: 2, mischief, ingestEnv: { LEASEHOLD_OUTCOMES_WAIT: '1s' } });
  worker = fleet.worker({ failpoints: ['granted'], stops: 1 });
  await fleet.start();
});
afterEach(() => mischief.end());
afterAll(() => fleet.end());

const patience = { timeout: 30_000 };
const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });
const lost = (method: string): number => mischief.count(method, 'reply lost');

async function queued(): Promise<{ number: number; card: File }> {
  photos += 1;
  return { number: photos, card: await handOver(fleet.files, (await photoOf(photos)).bytes) };
}

/** The call whose reply was lost was repeated at another instance. */
async function expectRepeatedElsewhere(method: string): Promise<void> {
  await expect.poll(() => mischief.lastLost(method).repeatedAt, patience).toBeDefined();
  const { at, repeatedAt } = mischief.lastLost(method);
  expect(repeatedAt).not.toBe(at);
}

/** The photo is made as if nothing had happened: one job, at its first attempt, and the right picture. */
async function expectMadeOnce({ number, card }: { number: number; card: File }): Promise<void> {
  const ready = await final(card);
  expect(ready).toMatchObject({ state: FileState.READY, generation: 1 });
  expect(await shows(await photoOf(number), await downloaded(fleet.files, ready))).toBe(true);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts: 1, fence: String(ready.rendition?.fence) });
  expect(await fencesInStore(fleet.store, card.name)).toEqual([ready.rendition?.fence]);
  await worker.logged('job_finished', { job_id: jobIdOf(card), outcome: 'succeeded' });
  expect(await journalOf(fleet.queue, card)).toEqual([]);
}

test('a registration that was not answered, and heartbeats that were not: the lease is kept through its run', async () => {
  mischief.next('RegisterWorker', 'reply lost');
  await worker.start();
  await expectRepeatedElsewhere('RegisterWorker');
  const made = await queued();
  await worker.logged('failpoint_reached');
  mischief.next('ExtendLeases', 'reply lost', 2);
  await expect.poll(() => lost('ExtendLeases'), patience).toBe(2);
  await expectRepeatedElsewhere('ExtendLeases');
  worker.signal('SIGUSR2');
  await expectMadeOnce(made);
  expect((await fleet.queue.query('select 1 from workers')).rowCount).toBe(1);
});

test.each(['CreateFile', 'UploadFile', 'ConfirmFile', 'EnqueueJobs', 'SettleLeases', 'AckOutcomes'])('%s that was not answered is repeated at another instance, and the photo is made once', async (method) => {
  mischief.next(method, 'reply lost');
  const made = await queued();
  await expectMadeOnce(made);
  await expect.poll(() => lost(method), patience).toBe(1);
  await expectRepeatedElsewhere(method);
});

test('leases whose grant was not answered are answered again, at another coordinator, and spend one attempt', async () => {
  mischief.next('AcquireLeases', 'reply lost');
  await expect.poll(() => lost('AcquireLeases'), patience).toBe(1);
  const granted = await fleet.figure('leasehold_leases_granted_total');
  await expectMadeOnce(await queued());
  await expect.poll(() => fleet.figure('leasehold_leases_granted_total'), patience).toBe(granted + 1);
  await expectRepeatedElsewhere('AcquireLeases');
});

test('outcomes that were handed out to nobody still arrive, before they are offered again', async () => {
  mischief.next('PullOutcomes', 'reply lost', 2);
  await expect.poll(() => lost('PullOutcomes'), patience).toBe(2);
  await expectMadeOnce(await queued());
  await expectRepeatedElsewhere('PullOutcomes');
});

test('RetryFile that was not answered, and is repeated at another ingest, retries once', async () => {
  const rejected = await final(await handOver(fleet.files, await truncatedPhotoOf(1)));
  mischief.next('RetryFile', 'reply lost');
  expect(await fleet.files.retry(rejected)).toMatchObject({ generation: 2 });
  await expectRepeatedElsewhere('RetryFile');
  expect(await final(rejected)).toMatchObject({ state: FileState.REJECTED, generation: 2, rejection: { reason: RejectionReason.TRUNCATED } });
});

test('an outcome that comes after its card was deleted changes nothing, and is done with', async () => {
  mischief.next('CancelJob', 'unsent', Infinity);
  const stale = await fleet.figure('leasehold_files_outcomes_total', { fate: 'stale' });
  worker.freeze();
  const { card } = await queued();
  await expect.poll(() => jobRecord(fleet.queue, card).catch(() => undefined), patience).toBeDefined();
  await fleet.files.delete(card.name);
  worker.wake();
  await worker.logged('job_finished', { job_id: jobIdOf(card), outcome: 'succeeded' });
  await expect.poll(() => fleet.figure('leasehold_files_outcomes_total', { fate: 'stale' }), patience).toBe(stale + 1);
  mischief.end();
  await expect.poll(async () => (await fleet.queue.query('select 1 from outcomes where job_id = $1', [jobIdOf(card)])).rowCount, patience).toBe(0);
  expect(await fleet.files.get(card.name)).toMatchObject({ state: FileState.DELETING, rendition: undefined });
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded' });
});

test('a worker whose leave was not answered is gone all the same; DeleteFile and the CancelJob after it that were not answered end the job once', async () => {
  mischief.next('DeregisterWorker', 'reply lost');
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  expect((await fleet.queue.query('select distinct state from workers')).rows).toEqual([{ state: 'gone' }]);
  const { card } = await queued();
  mischief.next('DeleteFile', 'reply lost');
  mischief.next('CancelJob', 'reply lost');
  expect((await fleet.files.delete(card.name)).state).toBe(FileState.DELETING);
  await expect.poll(async () => (await fleet.records.query('select 1 from files where cancel_due is not null')).rowCount, patience).toBe(0);
  for (const method of ['DeregisterWorker', 'DeleteFile', 'CancelJob']) await expectRepeatedElsewhere(method);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'cancelled', attempts: 0 });
});

test('a result that arrives after its worker was cut off and overtaken is refused, under both fences; the other photo counts, and its bytes are swept', async () => {
  await worker.start();
  photos += 1;
  const card = await handOver(fleet.files, (await photoOf(photos)).bytes);
  const { fence: late } = await worker.logged('failpoint_reached');
  mischief.next('SettleLeases', 'held', Infinity);
  for (const method of ['ExtendLeases', 'AcquireLeases', 'RegisterWorker']) mischief.next(method, 'unsent', Infinity);
  worker.signal('SIGUSR2');
  await expect.poll(() => mischief.count('SettleLeases', 'held'), patience).toBeGreaterThan(0);
  const overtaking = await fleet.worker({ direct: true, failpoints: ['granted'] }).start();
  const { fence: current } = await overtaking.logged('failpoint_reached');
  expect(BigInt(String(current))).toBeGreaterThan(BigInt(String(late)));
  mischief.end();
  await expect.poll(() => journalOf(fleet.queue, card), patience).toContainEqual(expect.objectContaining({ event: 'lease_lost', fence: late, current_fence: current, detail: 'complete' }));
  expect((await fleet.files.get(card.name)).state).toBe(FileState.PROCESSING);
  overtaking.signal('SIGUSR2');
  const ready = await final(card);
  expect(ready.rendition?.fence).toBe(BigInt(String(current)));
  expect((await fencesInStore(fleet.store, card.name)).map(String)).toEqual([late, current]);
  await fleet.ageCards();
  await expect.poll(() => strayObjects(fleet), patience).toEqual({ missing: [], extra: [] });
});

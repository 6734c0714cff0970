import { FileState, isFault, type File } from '@leasehold/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { jobIdOf, jobRecord, journalOf } from '../checks/records.js';
import { contentsOf, strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { longPolicy } from '../fleet/kind-policy.js';
import type { Member } from '../fleet/member.js';
import { downloaded, handOver, once } from '../photos/hand-over.js';
import { photoOf, sha256, shows } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// The life of photos where nothing fails: one coordinator, one ingest, one worker at a time. The tests go on where the ones before left off.

let fleet: Fleet;
let worker: Member;
const cards = new Map<string, File>();
const patience = { timeout: 20_000 };
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), policy: longPolicy });
  await fleet.ingest.start();
});
afterAll(() => fleet.end());

const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });

async function queued(number: number): Promise<File> {
  const card = await handOver(fleet.files, (await photoOf(number)).bytes);
  cards.set(card.name, card);
  return card;
}

const standsAt = (point: string, card: File): Promise<unknown> => worker.logged('failpoint_reached', { point, job_id: jobIdOf(card) });

test('confirming answers at once, by gRPC and by HTTP, with no coordinator and no worker; the photos are made once there are some', async () => {
  const [one, other] = [await photoOf(1), await photoOf(2)];
  const byGrpc = await queued(1);
  const { file: byHttp, uploadTarget } = await fleet.files.create();
  const stored = await fetch(uploadTarget?.url ?? '', { method: 'PUT', headers: uploadTarget?.headers ?? {}, body: Uint8Array.from(other.bytes) });
  const body = JSON.stringify({ versionId: stored.headers.get('x-leasehold-version-id') });
  const confirmed = await fleet.ingest.http(`/v1/${byHttp.name}:confirm`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect([confirmed.status, await confirmed.json()]).toMatchObject([202, { state: 'FILE_STATE_QUEUED' }]);
  expect([byGrpc.state, (await fleet.files.get(byGrpc.name)).state]).toEqual([FileState.QUEUED, FileState.QUEUED]);

  worker = fleet.worker();
  await Promise.all([fleet.coordinator.start(), worker.start()]);
  for (const [card, photo] of [[byGrpc, one], [byHttp, other]] as const) {
    const ready = await final(card);
    cards.set(card.name, ready);
    expect(ready.state).toBe(FileState.READY);
    expect(await shows(photo, await downloaded(fleet.files, ready))).toBe(true);
  }
  expect(worker.events('job_finished')).toHaveLength(2);
});

test('the confirmed version is the one that is made, whatever else was uploaded; the card records where its rendition lies, its size and digest', async () => {
  const [meant, before, after] = [await photoOf(3), await photoOf(4), await photoOf(5)];
  const { file } = await fleet.files.create();
  await fleet.files.upload(file.name, () => once(before.bytes));
  const uploaded = await fleet.files.upload(file.name, () => once(meant.bytes));
  await fleet.files.upload(file.name, () => once(after.bytes));
  const card = await final(await fleet.files.confirm(file.name, uploaded));
  cards.set(card.name, card);
  const { rendition, source } = card;
  expect(source).toMatchObject({ versionId: uploaded.versionId, sha256: sha256(meant.bytes) });
  const bytes = await downloaded(fleet.files, card);
  expect(await shows(meant, bytes)).toBe(true);
  expect(rendition).toMatchObject({ sizeBytes: BigInt(bytes.length), sha256: sha256(bytes), key: `renditions/default/${file.name.split('/')[3]}/${rendition?.fence}/photo.webp` });
  expect(await fleet.store.head(rendition?.key ?? '', rendition?.versionId ?? '')).toMatchObject({ sizeBytes: bytes.length, sha256: sha256(bytes) });
});

describe('on SIGTERM a worker', () => {
  test('lets its run finish, takes nothing new, and exits with 0; no transaction was open while it ran', async () => {
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    worker = await fleet.worker({ failpoints: ['granted'] }).start();
    const held = await queued(6);
    await standsAt('granted', held);
    // A duty's own transaction is between two statements for a moment at most; one that waited for the run would stay.
    await expect.poll(async () => (await fleet.queue.query("select query from pg_stat_activity where state like 'idle in transaction%'")).rows).toEqual([]);
    const shown: File[] = [];
    const ready = fleet.files.waitUntilFinal(held.name, { onChange: (card) => shown.push(card), signal: AbortSignal.timeout(60_000) });
    await expect.poll(() => shown.at(-1)?.state).toBe(FileState.PROCESSING);
    expect(shown.at(-1)?.progress).toMatchObject({ attempt: 1, maxAttempts: 3 });
    const waiting = await queued(7);
    worker.signal('SIGTERM');
    await worker.logged('worker_draining');
    worker.signal('SIGUSR2');
    expect((await ready).state).toBe(FileState.READY);
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    expect(worker.events('job_started').map((event) => event['job_id'])).toEqual([jobIdOf(held)]);
    expect(await jobRecord(fleet.queue, waiting)).toMatchObject({ state: 'queued', attempts: 0 });
  });

  test('hands back in good time what it cannot finish, without spending an attempt, and exits with 0', async () => {
    const [waiting] = [...cards.values()].slice(-1);
    if (waiting === undefined) throw new Error('nothing waits');
    worker = await fleet.worker({ failpoints: ['granted'], env: { LEASEHOLD_DRAIN_TIMEOUT: '200ms', LEASEHOLD_STOP_TIMEOUT: '10s' } }).start();
    await standsAt('granted', waiting);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(await jobRecord(fleet.queue, waiting)).toMatchObject({ state: 'queued', attempts: 0 });
    // A queue without workers shows in the coordinators' figures.
    await expect.poll(() => fleet.figure('leasehold_jobs_unroutable'), patience).toBe(1);
    await expect.poll(() => fleet.figure('leasehold_jobs', { state: 'due' }), patience).toBe(1);
    await expect.poll(() => fleet.figure('leasehold_oldest_due_job_age_seconds'), patience).toBeGreaterThan(0);
    worker = await fleet.worker({ failpoints: ['granted', 'stored'] }).start();
    await standsAt('granted', waiting);
    worker.signal('SIGUSR2');
    await standsAt('stored', waiting);
    worker.signal('SIGUSR2');
    expect((await final(waiting)).state).toBe(FileState.READY);
    expect(await jobRecord(fleet.queue, waiting)).toMatchObject({ attempts: 1 });
  });
});

describe('deleting a card', () => {
  const deleted: File[] = [];
  const remove = async (card: File): Promise<void> => {
    expect((await fleet.files.delete(card.name)).state).toBe(FileState.DELETING);
    cards.delete(card.name);
    deleted.push(card);
  };
  const cancelledAt = (card: File): Promise<unknown> => fleet.coordinator.logged('job_cancelled', { job_id: jobIdOf(card) });

  test('while its photo is being made revokes the right to commit at once: what the worker then says is refused, under both fences, and never served', async () => {
    for (const [number, point] of [[8, 'granted'], [9, 'stored']] as const) {
      const card = await queued(number);
      await standsAt('granted', card);
      if (point === 'granted') await remove(card);
      if (point === 'granted') await cancelledAt(card);
      worker.signal('SIGUSR2');
      await standsAt('stored', card);
      if (point === 'stored') await remove(card);
      if (point === 'stored') await cancelledAt(card);
      worker.signal('SIGUSR2');
      const { fence, current_fence: current, verb } = await fleet.coordinator.logged('lease_lost', { job_id: jobIdOf(card) });
      expect(verb).toBe('complete');
      expect(BigInt(String(current))).toBeGreaterThan(BigInt(String(fence)));
      await expect.poll(() => journalOf(fleet.queue, card)).toMatchObject([{ event: 'job_cancelled' }, { event: 'lease_lost', fence, current_fence: current, detail: 'complete' }]);
      expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'cancelled', fence: current });
      expect(await downloaded(fleet.files, card).catch((error: unknown) => isFault(error, 'FILE_NOT_READY'))).toBe(true);
    }
  });

  test('before its photo is begun, or once it is made, or before it was confirmed, ends the same way', async () => {
    const holder = await queued(10);
    await standsAt('granted', holder);
    const waiting = await queued(11);
    const { file: pending } = await fleet.files.create();
    await fleet.files.upload(pending.name, () => once(Buffer.from('never confirmed')));
    const [ready] = [...cards.values()];
    if (ready === undefined) throw new Error('no card is READY');
    for (const card of [waiting, pending, ready]) await remove(card);
    await cancelledAt(waiting);
    for (const point of ['granted', 'stored']) {
      await standsAt(point, holder);
      worker.signal('SIGUSR2');
    }
    await final(holder);
    expect(worker.events('job_started').map((event) => event['job_id'])).not.toContain(jobIdOf(waiting));
    expect(await downloaded(fleet.files, ready).catch((error: unknown) => isFault(error, 'FILE_NOT_READY'))).toBe(true);
  });

  test('lets its bytes go after the safety interval and not before; then it is DELETED, and the store holds what the other cards promise and nothing else', async () => {
    const unconfirmed = async (): Promise<number> => (await fleet.records.query('select 1 from files where cancel_due is not null')).rowCount ?? 0;
    await expect.poll(unconfirmed, patience).toBe(0);
    const listed = await contentsOf(fleet.store);
    for (const card of deleted) expect(listed.some((object) => object.includes(card.name.split('/')[3] ?? 'none'))).toBe(true);
    await fleet.ageCards();
    for (const card of deleted) await expect.poll(async () => (await fleet.files.get(card.name)).state, patience).toBe(FileState.DELETED);
    await expect.poll(() => strayObjects(fleet), patience).toEqual({ missing: [], extra: [] });
  });
});

test('the figures of the processes say what happened', async () => {
  const started = fleet.workers.flatMap((member) => member.events('job_started')).length;
  const count = async (where: string): Promise<number> => Number((await fleet.queue.query<{ count: string }>(`select count(*) from job_records where ${where}`)).rows[0]?.count);
  await expect.poll(async () => ({
    enqueued: await fleet.figure('leasehold_jobs_enqueued_total', { kind: 'image', version: '1' }),
    granted: await fleet.figure('leasehold_leases_granted_total'),
    waited: await fleet.figure('leasehold_job_wait_seconds_count'),
    succeeded: await fleet.figure('leasehold_jobs_finished_total', { state: 'succeeded' }),
    cancelled: await fleet.figure('leasehold_jobs_finished_total', { state: 'cancelled' }),
    released: await fleet.figure('leasehold_attempts_ended_total', { reason: 'RELEASED' }),
    lost: await fleet.figure('leasehold_leases_lost_total', { verb: 'complete' }),
    expired: await fleet.figure('leasehold_leases_expired_total'),
    live: await fleet.figure('leasehold_jobs'),
    refusedAtWorker: await fleet.figure('leasehold_worker_jobs_total', { outcome: 'refused' }),
    applied: await fleet.figure('leasehold_files_outcomes_total', { fate: 'applied' }),
  }), patience).toEqual({
    enqueued: await count('true'), granted: started, waited: started, succeeded: await count("state = 'succeeded'"), cancelled: 3, released: 1, lost: 2, expired: 0, live: 0,
    refusedAtWorker: 2, applied: await count("state = 'succeeded'"),
  });
  await expect.poll(() => fleet.figure('leasehold_files', { state: 'ready' }), patience).toBe(cards.size);
  await expect.poll(() => fleet.figure('leasehold_files_swept_objects_total', { pass: 'file' }), patience).toBeGreaterThan(0);
});

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesClient, FileState, RejectionReason, type File } from '@leasehold/client';
import { failpoints } from '@leasehold/image-worker';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { jobIdOf, jobRecord, journalOf } from '../checks/records.js';
import { fencesInStore, strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows, truncatedPhotoOf } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Workers that die, freeze, hang or meet a broken store, under leases of 3 s.

let fleet: Fleet;
/** Makes photos whenever it runs. */
let healthy: Member;
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), coordinators: 2 });
  healthy = fleet.worker();
  await fleet.start();
});
afterAll(() => fleet.end());
beforeEach(() => fleet.policy({}));

const patience = { timeout: 30_000 };
const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });
const queued = async (number: number): Promise<File> => handOver(fleet.files, (await photoOf(number)).bytes);
const fenceOf = (event: Readonly<Record<string, unknown>>): bigint => BigInt(String(event['fence']));

/** After the safety intervals the store holds what the cards promise, and nothing else. */
async function expectOnlyPromises(): Promise<void> {
  await fleet.ageCards();
  await expect.poll(() => strayObjects(fleet), patience).toEqual({ missing: [], extra: [] });
}

/** How long after its expiry each lease of these cards was voided, by the database's clock, in ms. */
async function latenessOf(cards: readonly File[], expiries: ReadonlyMap<string, Date>): Promise<number[]> {
  const events = (await Promise.all(cards.map((card) => journalOf(fleet.queue, card)))).flat().filter(({ event }) => event === 'lease_expired');
  return events.map(({ job_id: id, at }) => at.getTime() - (expiries.get(id)?.getTime() ?? 0)).toSorted((a, b) => a - b);
}

test('a worker killed at any point of a run costs one attempt: its lease is claimable again within a second of its expiry, and its bytes, that nobody could report, are swept', async () => {
  const victims = await Promise.all(failpoints.map((point) => fleet.worker({ failpoints: [point] }).start()));
  const cards = await Promise.all(failpoints.map((_, i) => queued(i)));
  const reached = await Promise.all(victims.map((victim) => victim.logged('failpoint_reached')));
  await Promise.all(victims.map((victim) => victim.kill()));
  const { rows } = await fleet.queue.query<{ job_id: string; expires_at: Date }>('select job_id, expires_at from jobs');
  const expiries = new Map(rows.map((row) => [row.job_id, row.expires_at]));
  expect(expiries.size).toBe(cards.length);
  await healthy.start();
  for (const [i, card] of cards.entries()) {
    const ready = await final(card);
    expect(ready.state).toBe(FileState.READY);
    expect(await shows(await photoOf(i), await downloaded(fleet.files, ready))).toBe(true);
    expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts: 2, fence: String(ready.rendition?.fence) });
    expect(await journalOf(fleet.queue, card)).toMatchObject([{ event: 'lease_expired', detail: 'requeued' }]);
  }
  const lateness = await latenessOf(cards, expiries);
  expect(lateness).toHaveLength(cards.length);
  expect(lateness[0]).toBeGreaterThanOrEqual(0);
  // The median: on a machine that is overloaded for a moment one may be later.
  expect(lateness[1]).toBeLessThan(1_000);
  const stored = reached.find((event) => event['point'] === 'stored');
  const [card] = cards.filter((one) => jobIdOf(one) === stored?.['job_id']);
  if (card === undefined || stored === undefined) throw new Error('no worker was killed with its photo in the store');
  expect(await fencesInStore(fleet.store, card.name)).toContain(fenceOf(stored));
  await expectOnlyPromises();
});

test('a worker that is frozen past its lease and wakes up is overtaken: the photo of the other one counts, its own is never served and is swept; then it works on', async () => {
  await healthy.stop();
  const frozen = await fleet.worker({ failpoints: ['stored'], stops: 1 }).start();
  const card = await queued(10);
  const stored = await frozen.logged('failpoint_reached');
  frozen.freeze();
  await healthy.start();
  const ready = await final(card);
  expect(ready.rendition?.fence).toBeGreaterThan(fenceOf(stored));
  await healthy.stop();
  frozen.signal('SIGUSR2');
  frozen.wake();
  // By its heartbeat, or by the settlement of its run: whichever is answered first.
  await frozen.logged('lease_lost', { fence: stored['fence'] });
  expect(await fleet.files.get(card.name)).toEqual(ready);
  expect(await shows(await photoOf(10), await downloaded(fleet.files, ready))).toBe(true);
  expect(await fencesInStore(fleet.store, card.name)).toContain(fenceOf(stored));
  await expectOnlyPromises();
  const next = await final(await queued(11));
  expect(next.state).toBe(FileState.READY);
  await frozen.kill();
});

test('heartbeats keep a lease for longer than its time; a worker that is alive but stuck is ended by max_run', async () => {
  await fleet.policy({ max_run_ms: 9_000 });
  const [stuck, slow] = [fleet.worker({ failpoints: ['granted'] }), fleet.worker({ failpoints: ['encoded'] })];
  await stuck.start();
  const hopeless = await queued(20);
  const { fence: stuckFence } = await stuck.logged('failpoint_reached');
  await slow.start();
  const kept = await queued(21);
  await slow.logged('failpoint_reached');
  const outlivedItsLease = async (): Promise<boolean> =>
    (await fleet.queue.query("select 1 from jobs where job_id = $1 and now() > granted_at + interval '6 seconds'", [jobIdOf(kept)])).rowCount === 1;
  await expect.poll(outlivedItsLease, patience).toBe(true);
  slow.signal('SIGUSR2');
  expect((await final(kept)).state).toBe(FileState.READY);
  expect(await jobRecord(fleet.queue, kept)).toMatchObject({ attempts: 1 });
  expect(await journalOf(fleet.queue, kept)).toEqual([]);
  // The slow one takes the job that max_run took from the stuck one, which still sends its heartbeats.
  await slow.logged('failpoint_reached', { job_id: jobIdOf(hopeless) });
  slow.signal('SIGUSR2');
  expect((await final(hopeless)).state).toBe(FileState.READY);
  expect(await jobRecord(fleet.queue, hopeless)).toMatchObject({ attempts: 2 });
  expect(await stuck.logged('lease_untrusted')).toMatchObject({ fence: stuckFence, run_bound_reached: true });
  await Promise.all([stuck.kill(), slow.kill()]);
});

test('a configuration in which renewal and margin do not fit the lease is refused, with what to change', async () => {
  const misfit = fleet.worker({ env: { LEASEHOLD_LEASE_MARGIN: '2s' } });
  await misfit.launch();
  const { err } = await misfit.logged('configuration_refused');
  expect(JSON.stringify(err)).toMatch(/lease of 3000 ms does not hold .* margin \(2000 ms\): set the margin to at most 1250 ms, or the kind's lease time to at least 4800 ms/);
  expect((await misfit.exited).code).toBe(1);
});

test('a job whose worker dies at every attempt ends as REJECTED, EXHAUSTED, and is never granted once more', async () => {
  const victim = fleet.worker({ failpoints: ['granted'] });
  const card = await queued(30);
  for (let attempt = 1; attempt <= 3; attempt++) {
    await victim.start();
    await victim.logged('failpoint_reached', { job_id: jobIdOf(card) });
    await victim.kill();
    // Its time is over now; whether that is noticed is up to the coordinators.
    await fleet.queue.query('update jobs set expires_at = now() where job_id = $1', [jobIdOf(card)]);
    await expect.poll(async () => (await journalOf(fleet.queue, card)).length, patience).toBe(attempt);
  }
  await healthy.start();
  expect(await final(card)).toMatchObject({ state: FileState.REJECTED, rejection: { reason: RejectionReason.EXHAUSTED } });
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'failed', attempts: 3, reason: 'EXHAUSTED' });
  expect((await journalOf(fleet.queue, card)).map(({ detail }) => detail)).toEqual(['requeued', 'requeued', 'exhausted']);
  const grants = [victim, healthy].flatMap((worker) => worker.events('job_started')).filter((event) => event['job_id'] === jobIdOf(card));
  expect(grants.map((event) => event['attempt'])).toEqual([1, 2, 3]);
});

test('a fault of the content is final at its first attempt; one of the store is retried until attempts are spent, and again when its owner asks for it; neither tells anything inner', async () => {
  const truncated = await handOver(fleet.files, await truncatedPhotoOf(40));
  const files = new FilesClient({ address: fleet.ingestAddresses, namespace: 'unwritable' });
  const obstacle = join(fleet.store.directory, 'versions', 'renditions', 'unwritable');
  await mkdir(join(obstacle, '..'), { recursive: true });
  await writeFile(obstacle, 'a file where the folder of this namespace should be');
  try {
    const unlucky = await handOver(files, (await photoOf(41)).bytes);
    const [atOnce, spent] = [await final(truncated), await final(unlucky)];
    expect(atOnce.rejection?.reason).toBe(RejectionReason.TRUNCATED);
    expect(await jobRecord(fleet.queue, truncated)).toMatchObject({ state: 'failed', attempts: 1, reason: 'TRUNCATED' });
    expect(spent.rejection?.reason).toBe(RejectionReason.EXHAUSTED);
    expect(await jobRecord(fleet.queue, unlucky)).toMatchObject({ state: 'failed', attempts: 3, last_reason: 'STORE_UNAVAILABLE' });
    for (const card of [atOnce, spent]) expect(card.rejection?.explanation).not.toMatch(/\/|http|Error|ENO/);
    await rm(obstacle);
    const ready = await final(await files.retry(spent));
    expect(ready).toMatchObject({ state: FileState.READY, generation: 2 });
    expect(await shows(await photoOf(41), await downloaded(files, ready))).toBe(true);
  } finally {
    files.close();
  }
});

test('the figures of the coordinators tell deaths from refusals and from faults of the store', async () => {
  const journalled = async (event: string): Promise<number> => (await fleet.queue.query('select 1 from job_events where event = $1', [event])).rowCount ?? 0;
  await expect.poll(async () => ({
    expired: await fleet.figure('leasehold_leases_expired_total'),
    lost: await fleet.figure('leasehold_leases_lost_total'),
    truncated: await fleet.figure('leasehold_jobs_finished_total', { reason: 'TRUNCATED' }),
    exhausted: await fleet.figure('leasehold_jobs_finished_total', { reason: 'EXHAUSTED' }),
    store: await fleet.figure('leasehold_attempts_ended_total', { reason: 'STORE_UNAVAILABLE' }),
    rejected: await fleet.figure('leasehold_files_rejected_total'),
  }), patience).toEqual({ expired: await journalled('lease_expired'), lost: await journalled('lease_lost'), truncated: 1, exhausted: 2, store: 2, rejected: 3 });
});

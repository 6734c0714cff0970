import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileState, RejectionReason, type File } from '@leasehold/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { doubleHoldings } from '../checks/holdings.js';
import { jobRecord, journalOf } from '../checks/records.js';
import { fencesInStore, strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { Mischief } from '../network/mischief.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows, truncatedPhotoOf } from '../photos/photo.js';

// Workers that stop thinking, live in another time, hear only half of what they should, or fail while they leave. Leases of 3 s; two coordinators behind proxies.

const mischief = new Mischief();
let fleet: Fleet;
let photos = 0;
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), coordinators: 2, mischief });
  await fleet.start();
}, 60_000);
afterEach(() => mischief.end());
afterAll(() => fleet.end());

const patience = { timeout: 30_000 };
const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });

async function queued(): Promise<{ card: File; number: number }> {
  photos += 1;
  return { card: await handOver(fleet.files, (await photoOf(photos)).bytes), number: photos };
}

async function expectMade({ card, number }: { card: File; number: number }, attempts: number): Promise<File> {
  const ready = await final(card);
  expect(ready.state).toBe(FileState.READY);
  expect(await shows(await photoOf(number), await downloaded(fleet.files, ready))).toBe(true);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts, fence: String(ready.rendition?.fence) });
  return ready;
}

async function expectOnlyPromises(): Promise<void> {
  await fleet.ageCards();
  await expect.poll(() => strayObjects(fleet), patience).toEqual({ missing: [], extra: [] });
}

/** Every Date of the process is off by so much; how long things take is not. */
function clockOffBy(ms: number): Record<string, string> {
  const source = `const Right = Date; globalThis.Date = class Date extends Right { constructor(...at) { if (at.length === 0) super(Right.now() + ${ms}); else super(...at); } static now() { return Right.now() + ${ms}; } };`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(source)}` };
}

test('a worker whose event loop is blocked past its lease is overtaken: one publication, its own bytes swept, its lease lost once, and it goes on with heartbeats and work', async () => {
  const file = join(fleet.store.directory, 'unblock');
  const blocked = await fleet.worker({ failpoints: ['stored'], stops: 1, env: { LEASEHOLD_FAILPOINT_BLOCKS_UNTIL: file } }).start();
  const other = fleet.worker();
  const made = await queued();
  const { fence } = await blocked.logged('failpoint_reached');
  await other.start();
  const ready = await expectMade(made, 2);
  expect(ready.rendition?.fence).toBeGreaterThan(BigInt(String(fence)));
  await other.stop();
  await writeFile(file, '');
  await blocked.logged('lease_lost', { fence });
  expect(await fleet.files.get(made.card.name)).toEqual(ready);
  expect(await fencesInStore(fleet.store, made.card.name)).toEqual([BigInt(String(fence)), ready.rendition?.fence]);
  await expectOnlyPromises();
  await expectMade(await queued(), 1);
  expect(blocked.events('lease_lost')).toHaveLength(1);
  expect((await journalOf(fleet.queue, made.card)).filter(({ event }) => event === 'lease_expired')).toHaveLength(1);
  await blocked.stop();
}, 90_000);

test('clocks that are 10 minutes early or late change nothing: leases are judged by durations', async () => {
  const [early, late] = [-600_000, 600_000].map((ms) => fleet.worker({ failpoints: ['granted'], stops: 1, env: clockOffBy(ms) }));
  if (early === undefined || late === undefined) throw new Error('there are two');
  for (const [worker, ms] of [[early, -600_000], [late, 600_000]] as const) {
    await worker.start();
    const [line] = worker.events('service_started');
    expect(Math.abs(Date.parse(String(line?.['time'])) - Date.now() - ms)).toBeLessThan(60_000);
    const made = await queued();
    const { fence } = await worker.logged('failpoint_reached');
    // Twice the lease: its heartbeats must have counted.
    const outlived = async (): Promise<boolean> => (await fleet.queue.query("select 1 from jobs where fence = $1 and now() > granted_at + interval '6 seconds'", [fence])).rowCount === 1;
    await expect.poll(outlived, patience).toBe(true);
    worker.signal('SIGUSR2');
    await expectMade(made, 1);
    expect(await journalOf(fleet.queue, made.card)).toEqual([]);
    await worker.stop();
    expect(worker.events('lease_lost')).toEqual([]);
    expect(worker.events('lease_untrusted')).toEqual([]);
  }
  expect(doubleHoldings([early, late])).toEqual([]);
}, 90_000);

test('a worker whose calls for work are swallowed while its heartbeats are answered asks elsewhere, and gets its work', async () => {
  mischief.next('AcquireLeases', 'held', 2);
  const worker = await fleet.worker().start();
  const made = await queued();
  await expectMade(made, 1);
  expect(mischief.count('AcquireLeases', 'held')).toBe(2);
  expect(worker.events('renew_failed')).toEqual([]);
  // The calls that come through at last are of a number that was answered, and take nothing.
  mischief.end();
  await expectMade(await queued(), 1);
  await worker.stop();
}, 60_000);

test('a job that fails while its worker leaves ends as it must, and the worker leaves with 0', async () => {
  const worker = await fleet.worker({ failpoints: ['fetched'] }).start();
  const card = await handOver(fleet.files, await truncatedPhotoOf(photos++));
  await worker.logged('failpoint_reached');
  const left = worker.stop();
  await worker.logged('worker_draining');
  worker.signal('SIGUSR2');
  expect(await left).toEqual({ code: 0, signal: null });
  expect(await final(card)).toMatchObject({ state: FileState.REJECTED, rejection: { reason: RejectionReason.TRUNCATED } });
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'failed', attempts: 1, reason: 'TRUNCATED' });
}, 60_000);

test('a worker has a fresh id at each start: what its last life held is not taken for its own', async () => {
  const worker = await fleet.worker({ failpoints: ['encoded'], stops: 1 }).start();
  const made = await queued();
  const { fence } = await worker.logged('failpoint_reached');
  await worker.kill();
  await worker.start();
  await worker.logged('failpoint_reached');
  worker.signal('SIGUSR2');
  const ready = await expectMade(made, 2);
  expect(ready.rendition?.fence).toBeGreaterThan(BigInt(String(fence)));
  const ids = worker.events('worker_registered').map((event) => event['worker_id']);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
  await worker.stop();
}, 60_000);

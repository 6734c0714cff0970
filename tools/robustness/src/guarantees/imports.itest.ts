import { failpoints } from '@leasehold/import-worker';
import { ImportRejectionReason, ImportState } from '@leasehold/ingest-v1';
import { createPool, type Database } from '@leasehold/postgres';
import { Fault } from '@leasehold/rpc';
import { createLogger } from '@leasehold/service';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ledgerFaults } from '../checks/ledger-books.js';
import { databasesOfTheRun, type Databases } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { csvOf, manyRows, Shipments } from '../imports/shipments.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Shipments under workers that die, freeze and race, with leases of 3 s. After each test: stock is the sum of its moves, no batch counts twice, every import that was accepted has ended.

let databases: Databases;
let fleet: Fleet;
let shipments: Shipments;
let ledger: Database;
/** Applies shipments whenever it runs. */
let healthy: Member;
beforeAll(async () => {
  databases = await databasesOfTheRun();
  fleet = await Fleet.prepare({ databases, coordinators: 2, ingests: 2 });
  ledger = createPool({ connectionString: databases.records, applicationName: 'robustness', logger: createLogger({ service: 'robustness', level: 'fatal' }) });
  healthy = fleet.importWorker();
  await fleet.start();
  shipments = new Shipments(fleet.ingestAddresses);
});
afterAll(async () => {
  shipments.close();
  await ledger.stop();
  await fleet.end();
});
beforeEach(() => fleet.policy({}));
afterEach(async () => {
  expect(await ledgerFaults(fleet, ledger)).toEqual([]);
  expect(fleet.members.flatMap(({ fell }) => fell)).toEqual([]);
});

const jobOf = async (importId: string): Promise<{ state: string; attempts: number }> => {
  const { rows: [row] } = await fleet.queue.query<{ state: string; attempts: number }>('select state, attempts from job_records where job_id like $1 order by enqueue_id desc limit 1', [`${importId}.%`]);
  if (row === undefined) throw new Error(`${importId} has no job`);
  return row;
};

test('a worker killed at any point of a run: the shipment is applied once, whether it had been committed or not', async () => {
  // One after the other: a worker whose settlement was answered to nobody has its slot free, and would take the next one's shipment.
  const victims: Member[] = [];
  for (const [i, point] of failpoints.entries()) {
    const victim = await fleet.importWorker({ failpoints: [point], stops: 1 }).start();
    victims.push(victim);
    await shipments.submit(`killed-${i}`, csvOf([[`killed-${i}`, 5], ['shared', 1]]));
    expect(await victim.logged('failpoint_reached')).toMatchObject({ point });
  }
  await Promise.all(victims.map((victim) => victim.kill()));
  await healthy.start();
  for (const [i] of failpoints.entries()) {
    expect(await shipments.final(`killed-${i}`)).toMatchObject({ state: ImportState.APPLIED, result: { rows: 2n, unitsIn: 6n } });
    expect(await shipments.stock(`killed-${i}`)).toEqual({ [`killed-${i}`]: 5n });
  }
  expect(await shipments.stock('shared')).toEqual({ shared: BigInt(failpoints.length) });
  await healthy.stop();
});

test.for(['copied', 'committed'] as const)('a worker frozen at %s past its lease and woken commits nothing twice', async (point) => {
  const id = `frozen-${point}`;
  const frozen = await fleet.importWorker({ failpoints: [point], stops: 1 }).start();
  await shipments.submit(id, csvOf([[id, 3]]));
  await frozen.logged('failpoint_reached');
  frozen.freeze();
  await healthy.start();
  expect(await shipments.final(id)).toMatchObject({ state: ImportState.APPLIED });
  // What was committed before the freeze is seen at once: the lease must have gone to the other, too.
  await expect.poll(() => jobOf(id).then(({ state }) => state), { timeout: 30_000 }).toBe('succeeded');
  await healthy.stop();
  frozen.signal('SIGUSR2');
  frozen.wake();
  await frozen.logged('failpoint_passed');
  await frozen.logged('lease_lost');
  expect(await shipments.stock(id)).toEqual({ [id]: 3n });
  await frozen.stop();
});

test('a late commit on the last attempt: the ledger decides once, and says the same ever after', async () => {
  await fleet.policy({ max_attempts: 1 });
  const frozen = await fleet.importWorker({ failpoints: ['copied'], stops: 1 }).start();
  await shipments.submit('last', csvOf([['last', 3]]));
  await frozen.logged('failpoint_reached');
  frozen.freeze();
  const ended = await shipments.final('last');
  expect(ended).toMatchObject({ state: ImportState.REJECTED, rejection: { reason: ImportRejectionReason.EXHAUSTED } });
  frozen.signal('SIGUSR2');
  frozen.wake();
  await frozen.logged('failpoint_passed');
  await frozen.logged('lease_lost');
  expect(await shipments.get('last')).toEqual(ended);
  expect(await shipments.stock('last')).toEqual({});
  await frozen.stop();
});

test('a commit before its worker froze on the last attempt stays: the exhausted job does not reject what was applied', async () => {
  await fleet.policy({ max_attempts: 1 });
  const frozen = await fleet.importWorker({ failpoints: ['committed'], stops: 1 }).start();
  await shipments.submit('kept', csvOf([['kept', 3]]));
  await frozen.logged('failpoint_reached');
  frozen.freeze();
  await expect.poll(() => jobOf('kept'), { timeout: 30_000 }).toMatchObject({ state: 'failed' });
  expect(await shipments.final('kept')).toMatchObject({ state: ImportState.APPLIED });
  expect(await shipments.stock('kept')).toEqual({ kept: 3n });
  await frozen.kill();
});

test('a cancel decides against a run that is under way, also one that wakes up late; a cancel that comes after the commit is refused', async () => {
  const late = await fleet.importWorker({ failpoints: ['copied'], stops: 1 }).start();
  await shipments.submit('cancelled', csvOf([['cancelled', 3]]));
  await late.logged('failpoint_reached');
  expect(await shipments.cancel('cancelled')).toMatchObject({ state: ImportState.CANCELLED });
  late.signal('SIGUSR2');
  await late.logged('failpoint_passed');
  await expect.poll(() => jobOf('cancelled').then(({ state }) => state), { timeout: 30_000 }).not.toBe('leased');
  expect(await shipments.stock('cancelled')).toEqual({});
  await late.stop();

  const early = await fleet.importWorker({ failpoints: ['committed'], stops: 1 }).start();
  await shipments.submit('too-late', csvOf([['too-late', 3]]));
  await early.logged('failpoint_reached');
  await expect(shipments.cancel('too-late')).rejects.toMatchObject({ reason: 'IMPORT_ENDED' });
  early.signal('SIGUSR2');
  expect(await shipments.final('too-late')).toMatchObject({ state: ImportState.APPLIED });
  expect(await shipments.stock('too-late')).toEqual({ 'too-late': 3n });
  await early.stop();
});

test('50 submissions of one batch at once, at two ingests, are one import and one change of stock; so is a repeat after completion, and one after the queue has forgotten the job', async () => {
  await healthy.start();
  const csv = csvOf([['dup', 7]]);
  const answers = await Promise.all(Array.from({ length: 50 }, () => shipments.submit('dup', csv)));
  expect(new Set(answers.map(({ name, createTime }) => `${name} ${createTime?.getTime()}`)).size).toBe(1);
  const applied = await shipments.final('dup');
  expect(await shipments.submit('dup', csv)).toEqual(applied);
  await expect.poll(() => fleet.queue.query('select 1 from outcomes').then(({ rowCount }) => rowCount), { timeout: 30_000 }).toBe(0);
  await fleet.queue.query("delete from finished_jobs where job_id like 'dup.%'");
  expect(await shipments.submit('dup', csv)).toEqual(applied);
  expect(await shipments.stock('dup')).toEqual({ dup: 7n });
  const conflict: unknown = await shipments.submit('dup', csvOf([['dup', 8]])).catch((error: unknown) => error);
  expect(conflict).toBeInstanceOf(Fault);
  expect(conflict).toMatchObject({ reason: 'IMPORT_EXISTS', metadata: { digest: expect.stringMatching(/^[0-9a-f]{8,}$/), existing_digest: expect.stringMatching(/^[0-9a-f]{8,}$/) } });
});

test('concurrent imports over the same SKUs in opposite orders all end, and each counts once', async () => {
  const second = await fleet.importWorker().start();
  const skus = Array.from({ length: 300 }, (_, i) => `order-${i}`);
  const rows = skus.map((sku) => [sku, 2] as const);
  const ids = Array.from({ length: 8 }, (_, i) => `opposite-${i}`);
  await Promise.all(ids.map((id, i) => shipments.submit(id, csvOf(i % 2 === 0 ? rows : rows.toReversed()))));
  for (const id of ids) expect(await shipments.final(id)).toMatchObject({ state: ImportState.APPLIED });
  expect(Object.values(await shipments.stock(...skus)).every((units) => units === 16n)).toBe(true);
  await second.stop();
});

test('an observer that was away, as its ingest restarted in mid-import, has missed nothing: rows go on rising, and the end is seen', async () => {
  await healthy.stop();
  const slow = await fleet.importWorker({ failpoints: ['copied'], stops: 1 }).start();
  await shipments.submit('watched', manyRows(20_000, 'watched'));
  await slow.logged('failpoint_reached');
  const rows = async (): Promise<bigint> => {
    for await (const seen of shipments.watch('watched', AbortSignal.timeout(30_000))) if ((seen.progress?.rows ?? 0n) > 0n) return seen.progress?.rows ?? 0n;
    return 0n;
  };
  const before = await rows();
  expect(before).toBeGreaterThan(0n);
  for (const ingest of fleet.ingests) {
    await ingest.kill();
    await ingest.start();
  }
  expect(await rows()).toBeGreaterThanOrEqual(before);
  slow.signal('SIGUSR2');
  expect(await shipments.final('watched')).toMatchObject({ state: ImportState.APPLIED, result: { rows: 20_000n } });
  await slow.stop();
});

test('a refused file changes nothing and says where it is wrong; the corrected one under the same id is applied', async () => {
  await healthy.start();
  await shipments.submit('mended', csvOf([['mended', 1]]).replace(',1', ',one'));
  expect(await shipments.final('mended')).toMatchObject({ state: ImportState.REJECTED, rejection: { reason: ImportRejectionReason.QUANTITY, rowErrors: [{ line: 2n, column: 'quantity' }] } });
  expect(await shipments.submit('mended', csvOf([['mended', 1]]))).toMatchObject({ generation: 2 });
  expect(await shipments.final('mended')).toMatchObject({ state: ImportState.APPLIED, generation: 2 });
  expect(await shipments.stock('mended')).toEqual({ mended: 1n });
});

test('a coordinator and an ingest killed under 20 shipments: each is applied once', async () => {
  const ids = Array.from({ length: 20 }, (_, i) => `storm-${i}`);
  const handed = Promise.all(ids.map((id, i) => shipments.submit(id, csvOf([['storm', i + 1], [id, 1]]))));
  const [coordinator, ingest] = [fleet.coordinators[1], fleet.ingests[1]];
  await coordinator?.kill();
  await ingest?.kill();
  await Promise.all([coordinator?.start(), ingest?.start()]);
  await handed;
  for (const id of ids) expect(await shipments.final(id)).toMatchObject({ state: ImportState.APPLIED });
  expect(await shipments.stock('storm')).toEqual({ storm: 210n });
});

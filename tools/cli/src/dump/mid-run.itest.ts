import { createHash } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { FileState, type File } from '@leasehold/client';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { done, emptyPair, migratedPair, scratchFolder, sqlOn, type Pair } from './dump.fixture.js';
import { Fleet } from './fleet.fixture.js';

// Two dumps taken in the middle of a run: at the first one photos are waiting, leased, made, and made without ingest having heard of it; until the second one
// that has gone on. Restored together, or each database from another dump, with every process started anew.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 100 };

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let source: Pair;
const cards = { early: new Map<string, File>(), late: new Map<string, File>() };
let deleted: string;
/** No fence that was ever drawn before the disaster is above it. */
let lastFence: bigint;
const at = (name: string): string => join(scratch.path, name);

beforeAll(async () => {
  scratch = await scratchFolder();
  source = await migratedPair();
  await sqlOn(source.queue, 'update kind_policies set lease_ms = 3000, retry_initial_ms = 200, retry_max_ms = 1000, max_run_ms = 60000');
  const fleet = await Fleet.start({ databases: source, store: at('store') });
  const stuck = await fleet.imageWorker('stored');
  await handOver(fleet, cards.early, 3);
  await stuck.waitForEvent(({ event }) => event === 'failpoint_reached', { timeoutMs: 20_000 });
  const worker = await fleet.imageWorker();
  await vi.waitFor(async () => expect(await count(source.records, "files where state = 'ready'")).toBe(2), patience);
  worker.kill('SIGSTOP');
  await handOver(fleet, cards.early, 6, 1600);
  await vi.waitFor(async () => expect(await count(source.queue, 'jobs')).toBe(7), patience);
  fleet.ingest.kill('SIGSTOP');
  worker.kill('SIGCONT');
  await vi.waitFor(async () => expect(await count(source.queue, 'outcomes')).toBeGreaterThan(1), { ...patience, interval: 10 });
  worker.kill('SIGSTOP');
  stuck.kill('SIGSTOP');
  await done(source, 'backup', at('first'));

  worker.kill('SIGKILL');
  stuck.kill('SIGCONT');
  fleet.ingest.kill('SIGCONT');
  await fleet.imageWorker();
  await handOver(fleet, cards.late, 3);
  deleted = [...cards.early.keys()].at(-1) ?? '';
  await fleet.files.delete(deleted);
  await vi.waitFor(async () => expect(await count(source.records, "files where state = 'ready'")).toBeGreaterThan(5), patience);
  await done(source, 'backup', at('second'));
  await fleet.kill();
  const [fence] = await sqlOn<{ last: string }>(source.queue, 'select last_value as last from fence_seq');
  lastFence = BigInt(fence?.last ?? 0);
});
afterAll(() => scratch.remove());

test('the first dump holds every stage of a job', async () => {
  const target = await restored({ queue: 'first', records: 'first' });
  const [jobs] = await sqlOn(target.queue, `select count(*) filter (where state = 'queued') > 0 as waiting, count(*) filter (where state = 'leased') > 0 as leased,
    (select count(*) from outcomes) > 1 as unheard, (select count(*) from finished_jobs) > 2 as finished from jobs`);
  expect(jobs).toEqual({ waiting: true, leased: true, unheard: true, finished: true });
});

test('restored to the middle of a run, every photo that had been handed over is made', async () => {
  await ends({ queue: 'first', records: 'first' }, { made: [...cards.early.keys()], unknown: [...cards.late.keys()] });
});

test('with a queue older than the records, what was handed over since is enqueued again, and what was made since is served', async () => {
  await ends({ queue: 'first', records: 'second' }, { made: [...cards.early.keys(), ...cards.late.keys()].filter((name) => name !== deleted), unknown: [] });
});

test('with records older than the queue, outcomes that were acknowledged since are found again, and jobs of cards that are gone leave nothing behind', async () => {
  await ends({ queue: 'second', records: 'first' }, { made: [...cards.early.keys()].filter((name) => name !== deleted), unknown: [...cards.late.keys()] });
});

interface Choice {
  readonly queue: 'first' | 'second';
  readonly records: 'first' | 'second';
}

async function restored(from: Choice): Promise<Pair> {
  const target = await emptyPair();
  for (const name of ['queue', 'records'] as const) await done(target, 'restore', at(from[name]), '--only', name);
  return target;
}

/** Starts everything on the restored databases and on the store as it is now; all must come to rest. */
async function ends(from: Choice, due: { readonly made: readonly string[]; readonly unknown: readonly string[] }): Promise<void> {
  const target = await restored(from);
  const store = at(`store-${from.queue}-${from.records}`);
  await cp(at('store'), store, { recursive: true });
  const before = new Map((await sqlOn<{ job_id: string; fence: string }>(target.queue, 'select job_id, fence from job_records')).map((row) => [row.job_id, BigInt(row.fence)]));
  const fleet = await Fleet.start({ databases: target, store });
  try {
    await fleet.imageWorker();
    await vi.waitFor(async () => expect({ jobs: await count(target.queue, 'jobs'), outcomes: await count(target.queue, 'outcomes'), cards: await count(target.records, "files where state = 'queued'") }).toEqual({ jobs: 0, outcomes: 0, cards: 0 }), patience);
    for (const name of due.made) await expectServed(fleet, name);
    for (const name of due.unknown) await expect(fleet.files.get(name)).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
    // Every fence is one of before, of the same job, or was drawn after the restore.
    for (const { job_id, fence } of await sqlOn<{ job_id: string; fence: string }>(target.queue, 'select job_id, fence from finished_jobs')) {
      if (BigInt(fence) !== before.get(job_id)) expect(BigInt(fence)).toBeGreaterThan(lastFence);
    }
  } finally {
    await fleet.kill();
  }
}

async function expectServed(fleet: Fleet, name: string): Promise<void> {
  const { state, rendition } = await fleet.files.get(name);
  expect([name, state]).toEqual([name, FileState.READY]);
  const hash = createHash('sha256');
  for await (const chunk of (await fleet.files.download(name)).body) hash.update(chunk);
  expect(hash.digest().equals(rendition?.sha256 ?? Buffer.alloc(0))).toBe(true);
  expect(rendition?.key.split('/')[3]).toBe(String(rendition?.fence));
}

async function handOver(fleet: Fleet, into: Map<string, File>, photos: number, width = 64): Promise<void> {
  for (let i = 0; i < photos; i += 1) {
    const bytes = await sharp({ create: { width, height: width, channels: 3, background: { r: into.size * 20, g: 80, b: 120 } } }).jpeg().toBuffer();
    const { file } = await fleet.files.create({ options: { effort: 1 } });
    const version = await fleet.files.upload(file.name, async function* once() { yield bytes; });
    into.set(file.name, await fleet.files.confirm(file.name, version));
  }
}

async function count(database: string, what: string): Promise<number> {
  const [row] = await sqlOn<{ n: number }>(database, `select count(*)::integer as n from ${what}`);
  return row?.n ?? -1;
}

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateWithin } from '@leasehold/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../index.js';
import { backup } from './backup.js';
import { databaseNames, ownersOf } from './databases.js';
import { done, emptyPair, fillQueue, leasehold, migratedPair, objectsIn, scratchFolder, sqlOn, type Pair } from './dump.fixture.js';
import { parseManifest, type Manifest } from './manifest.js';
import { restore } from './restore.js';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let source: Pair;
let dump: string;
beforeAll(async () => {
  scratch = await scratchFolder();
  source = await migratedPair();
  await fillQueue(source.queue);
  await sqlOn(source.records, "insert into files (namespace, file_id, expire_time, max_width, max_height, quality, effort) values ('default', 'f', now(), 1, 1, 1, 1)");
  dump = join(scratch.path, 'dump');
  await done(source, 'backup', dump);
});
afterAll(() => scratch.remove());

async function manifestOf(folder: string): Promise<Manifest> {
  const verdict = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
  if ('fault' in verdict) throw new Error(verdict.fault);
  return verdict.manifest;
}
const contentOf = ({ databases }: Manifest): unknown => databaseNames.map((name) => databases[name]?.tables);

test('what is restored is what was dumped: every table, partition, constraint and sequence, and the identity of rows to come', async () => {
  const target = await emptyPair();
  const { out, err } = await done(target, 'restore', dump);
  expect(out).toMatch(/queue: \d+ rows in \d+ tables/);
  expect(err).toMatch(/queue +public\.jobs +3 rows/);
  const again = join(scratch.path, 'again');
  await done(target, 'backup', again);
  expect(contentOf(await manifestOf(again))).toEqual(contentOf(await manifestOf(dump)));
  const constraints = 'select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as is, convalidated from pg_constraint where connamespace = \'public\'::regnamespace order by 1, 2';
  for (const name of databaseNames) expect(await sqlOn(target[name], constraints)).toEqual(await sqlOn(source[name], constraints));
  const [before] = await sqlOn<{ id: string }>(source.queue, 'select max(audit_id) as id from audit_events');
  const [after] = await sqlOn<{ id: string }>(target.queue, "insert into audit_events (at, actor, action, subject, detail) values (now(), '', '', '', '') returning audit_id as id");
  expect(Number(after?.id)).toBeGreaterThan(Number(before?.id));
});

test('fences go on above the greater of the dumped value and now', async () => {
  const target = await emptyPair();
  const [clock] = await sqlOn<{ now: string }>(target.queue, 'select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now');
  await done(target, 'restore', dump);
  const [fence] = await sqlOn<{ next: string }>(target.queue, "select nextval('fence_seq') as next");
  expect(BigInt(fence?.next ?? 0)).toBeGreaterThan(BigInt(clock?.now ?? 0));

  const ahead = await migratedPair();
  await sqlOn(ahead.queue, "select setval('fence_seq', 9000000000000000000)");
  await done(ahead, 'backup', join(scratch.path, 'ahead'));
  const second = await emptyPair();
  expect((await done(second, 'restore', join(scratch.path, 'ahead'))).out).toContain('fences go on from 9000000000000000000');
});

test('a dump of an earlier release is restored with its schema, and then brought to this build\'s', async () => {
  const [owner] = await ownersOf('queue');
  const { queue } = await emptyPair();
  const client = new pg.Client({ connectionString: queue });
  await client.connect();
  await migrateWithin({ client, ...owner, to: 3 });
  await client.query("insert into workers (worker_id, build, concurrency, state, registered_at, last_seen_at) values ('w', 'b', 1, 'active', now(), now())");
  await client.end();
  const folder = join(scratch.path, 'earlier');
  await done({ queue }, 'backup', folder, '--only', 'queue');
  const target = await emptyPair();
  expect((await done(target, 'restore', folder, '--only', 'queue')).out).toContain("brought to this build's schema with 004.do.partition-rights.sql");
  const versions = 'select version, md5 from schema_version order by version';
  expect(await sqlOn(target.queue, versions)).toEqual(await sqlOn(source.queue, versions));
  expect(await sqlOn(target.queue, 'select worker_id from workers')).toEqual([{ worker_id: 'w' }]);
});

test('a dump is one moment of each database, though both are used while it is made', async () => {
  const busy = await migratedPair();
  await fillQueue(busy.queue);
  const folder = join(scratch.path, 'busy');
  let moved: Promise<unknown> | undefined;
  const watcher = {
    bytes: () => undefined,
    // Once the first table is written, what is settled meanwhile must be neither in both tables nor in none; no later row may be seen, no earlier one missed.
    table: () => {
      moved ??= sqlOn(busy.queue, `with gone as (delete from jobs returning *)
        insert into finished_jobs select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'succeeded', enqueued_at, available_at, now(), now(), 1, '', '', '', fence, '' from gone`)
        .then(() => sqlOn(busy.records, "insert into files (namespace, file_id, expire_time, max_width, max_height, quality, effort) values ('default', 'later', now(), 1, 1, 1, 1)"));
    },
  };
  const { databases } = await backup({ urls: busy, folder, watcher, signal: new AbortController().signal });
  await moved;
  const rows = (name: string): number | undefined => [...(databases.queue?.tables ?? []), ...(databases.records?.tables ?? [])].filter((table) => table.name.startsWith(name)).reduce((sum, table) => sum + table.rows, 0);
  expect([rows('jobs'), rows('finished_jobs'), rows('files')]).toEqual([3, 3, 0]);
});

test('a dump is its owner\'s alone, and leaves nothing beside it', async () => {
  expect((await stat(dump)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dump, 'queue', 'public.jobs.copy'))).mode & 0o077).toBe(0);
  expect((await readdir(scratch.path)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a name that is taken, a database that is away, and one that was never migrated are refused, and no folder appears', async () => {
  const taken = await leasehold(source, ['backup', dump]);
  expect(taken).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('is there already') });
  const fresh = join(scratch.path, 'fresh');
  expect(await leasehold(await emptyPair(), ['backup', fresh])).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('no migrated database of Leasehold') });
  const away = await leasehold({ ...source, records: 'postgresql://somebody:hidden@127.0.0.1:1/records' }, ['backup', fresh]);
  expect(away).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('records: ') });
  expect(away.err).not.toContain('hidden');
  expect(await readdir(scratch.path)).not.toContain('fresh');
  expect(await leasehold({ queue: source.queue }, ['backup', fresh])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('LEASEHOLD_RECORDS_DATABASE_URL') });
  expect((await leasehold(source, ['backup'])).code).toBe(exitCodes.usage);
});

test('one database can be dumped and restored without the other', async () => {
  const folder = join(scratch.path, 'queue-only');
  await done({ queue: source.queue }, 'backup', folder, '--only', 'queue');
  const target = await emptyPair();
  expect(await leasehold(target, ['restore', folder])).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('does not hold records') });
  expect(await objectsIn(target.queue)).toBe(0);
  await done({ queue: target.queue }, 'restore', folder, '--only', 'queue');
  expect(await sqlOn(target.queue, 'select count(*)::integer as n from jobs')).toEqual([{ n: 3 }]);
});

test('memory does not grow with a table', async () => {
  const big = await migratedPair();
  await sqlOn(big.queue, `insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at)
    select 'default', 'image', 'job-' || n, n, 1, 0, convert_to(repeat(md5(n::text), 8192), 'UTF8'), '\\x01', 'queued', now(), now() from generate_series(1, 250) n`);
  const folder = join(scratch.path, 'big');
  let peak = 0;
  const look = (): void => { peak = Math.max(peak, process.memoryUsage.rss()); };
  const watcher = { bytes: look, table: look };
  const signal = new AbortController().signal;
  const before = process.memoryUsage.rss();
  const { databases } = await backup({ urls: { queue: big.queue }, folder, watcher, signal });
  expect(databases.queue?.tables.find(({ name }) => name === 'jobs')?.bytes).toBeGreaterThan(120e6);
  await restore({ urls: { queue: (await emptyPair()).queue }, folder, replace: false, watcher, signal });
  expect(peak - before).toBeLessThan(90e6);
});

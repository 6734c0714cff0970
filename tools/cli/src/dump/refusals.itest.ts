import { createHash } from 'node:crypto';
import { cp, mkdir, open, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../index.js';
import { done, emptyPair, fillQueue, leasehold, migratedPair, objectsIn, scratchFolder, sqlOn, type Pair } from './dump.fixture.js';
import { backup } from './backup.js';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let source: Pair;
let target: Pair;
let dump: string;
beforeAll(async () => {
  scratch = await scratchFolder();
  source = await migratedPair();
  await fillQueue(source.queue);
  dump = join(scratch.path, 'dump');
  await done(source, 'backup', dump);
  target = await emptyPair();
});
afterAll(() => scratch.remove());

/** Nobody may find a trace of a restore that was refused. */
async function expectRefused(folder: string, reason: string | RegExp, pair: Pair = target): Promise<void> {
  const { code, out, err } = await leasehold(pair, ['restore', folder]);
  expect({ code, out }).toEqual({ code: exitCodes.refused, out: '' });
  expect(err).toMatch(reason);
  expect(await Promise.all([objectsIn(pair.queue), objectsIn(pair.records)])).toEqual([0, 0]);
}

let copies = 0;
async function copyOfDump(): Promise<string> {
  const copy = join(scratch.path, `copy-${(copies += 1)}`);
  await cp(dump, copy, { recursive: true });
  return copy;
}

/** Changes the manifest as somebody would who also corrects its digest. */
async function edited(change: (manifest: Record<string, unknown> & { databases: { queue: { tables: Record<string, unknown>[]; migrations: Record<string, { version: number; md5: string }[]> } } }) => void): Promise<string> {
  const copy = await copyOfDump();
  const manifest = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8'));
  change(manifest);
  const text = JSON.stringify(manifest);
  await writeFile(join(copy, 'manifest.json'), text);
  await writeFile(join(copy, 'manifest.sha256'), `${createHash('sha256').update(text).digest('hex')}  manifest.json\n`);
  return copy;
}

test('a byte changed or an end cut off anywhere in a dump is found, and nothing is restored', async () => {
  const copy = await copyOfDump();
  const files = (await readdir(copy, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).toSorted();
  const contents = new Map(await Promise.all(files.map(async (path) => [path, await readFile(path)] as const)));
  const damaged = files.filter((path) => (contents.get(path)?.length ?? 0) > 0);
  await fc.assert(fc.asyncProperty(fc.constantFrom(...damaged), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom('cut', 'longer', 'gone')), async (path, where, how) => {
    const before = contents.get(path) ?? Buffer.alloc(0);
    const at = Math.floor(where * before.length);
    try {
      if (how === 'cut') await truncate(path, at);
      else if (how === 'longer') await writeFile(path, Buffer.concat([before, Buffer.from('\n')]));
      else if (how === 'gone') await rm(path);
      else {
        const file = await open(path, 'r+');
        await file.write(Buffer.from([(before[at] ?? 0) ^ how]), 0, 1, at);
        await file.close();
      }
      await expectRefused(copy, /damaged|not whole|no dump/);
    } finally {
      await writeFile(path, before);
    }
  }), { numRuns: 40 });
  await done(await emptyPair(), 'restore', copy);
});

test('a folder that is no dump, and dumps of other formats, are refused with what they are', async () => {
  const empty = join(scratch.path, 'empty');
  await mkdir(empty);
  await expectRefused(empty, 'is no dump that can be read');
  await expectRefused(join(scratch.path, 'nowhere'), 'is no dump that can be read');
  await expectRefused(await edited((manifest) => { manifest['format'] = 'other'; }), 'is not of a dump of Leasehold');
  await expectRefused(await edited((manifest) => { manifest['formatVersion'] = 2; }), 'has format 2, and this build reads 1: restore it with the release that made it');
  await expectRefused(await edited((manifest) => { manifest.databases.queue.tables[0] = {}; }), 'is not as a dump\'s must be');
});

test('a dump of later or of other migrations names what to restore it with', async () => {
  const migrations = (change: (of: { version: number; md5: string }[]) => void) => edited((manifest) => change(manifest.databases.queue.migrations['schema_version'] ?? []));
  await expectRefused(await migrations((of) => of.push({ version: 999, md5: 'x' })), /migration 999 of schema_version, and this build knows them up to \d+: restore it with the release that made it, or a later one/);
  await expectRefused(await migrations((of) => { if (of[0] !== undefined) of[0].md5 = 'x'; }), 'another migration 1 of schema_version than 001.do.queue.sql');
  await expectRefused(await edited((manifest) => { manifest.databases.queue.migrations['alien_version'] = [{ version: 1, md5: 'x' }]; }), 'migration 1 of alien_version');
});

test('a dump whose tables are not what its migrations make, or that smuggles statements, is refused', async () => {
  await expectRefused(await edited((manifest) => { manifest.databases.queue.tables.pop(); }), 'tables are not those that its migrations make');
  const smuggled = edited((manifest) => { for (const table of manifest.databases.queue.tables) if (table['partition'] !== undefined) table['partition'] = { schema: 'public', parent: 'finished_jobs', bounds: "DEFAULT; drop table jobs" }; });
  await expectRefused(await smuggled, 'is not as a dump\'s must be');
  await expectRefused(await edited((manifest) => { for (const table of manifest.databases.queue.tables) table['file'] = '../../secret.copy'; }), 'is not as a dump\'s must be');
});

test('a reference to a row that the dump lacks is found before anything is committed', async () => {
  const broken = await edited((manifest) => {
    const workers = manifest.databases.queue.tables.find((table) => table['name'] === 'workers');
    Object.assign(workers ?? {}, { file: 'none.copy', rows: 0, bytes: 0, sha256: createHash('sha256').digest('hex') });
  });
  await writeFile(join(broken, 'queue', 'none.copy'), '');
  await expectRefused(broken, 'worker_contracts_worker_id_fkey');
});

test('a database with anything in it is refused and kept; --replace drops what is there, all at once', async () => {
  const used = await migratedPair();
  await sqlOn(used.records, 'create schema own; create table own.notes (n integer); insert into own.notes values (1)');
  expect(await leasehold(used, ['restore', dump])).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('--replace') });
  expect(await sqlOn(used.records, 'select n from own.notes')).toEqual([{ n: 1 }]);

  const watching = new pg.Client({ connectionString: used.queue, application_name: 'queue-coordinator' });
  await watching.connect();
  expect(await leasehold(used, ['restore', dump, '--replace'])).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('others are connected (queue-coordinator): stop the services') });
  await watching.end();
  expect(await sqlOn(used.records, 'select n from own.notes')).toEqual([{ n: 1 }]);

  await expect.poll(async () => (await leasehold(used, ['restore', dump, '--replace'])).code).toBe(exitCodes.done);
  expect(await sqlOn(used.queue, 'select count(*)::integer as n from jobs')).toEqual([{ n: 3 }]);
  expect(await sqlOn(used.records, "select to_regclass('own.notes') as there")).toEqual([{ there: null }]);
});

test('a server whose clock is behind the dump is refused: fences would repeat', async () => {
  await expectRefused(await edited((manifest) => { Object.assign(manifest.databases.queue, { snapshotTime: '2999-01-01T00:00:00.000Z' }); }), 'set the clock first, or fences would repeat');
});

test('an interrupted backup leaves no folder, and an interrupted restore no trace', async () => {
  const interrupted = new AbortController();
  const folder = join(scratch.path, 'interrupted');
  const stopping = { bytes: () => undefined, table: () => interrupted.abort() };
  await expect(backup({ urls: source, folder, watcher: stopping, signal: interrupted.signal })).rejects.toThrow();
  expect((await readdir(scratch.path)).filter((name) => name.includes('interrupted'))).toEqual([]);
  const { code, err } = await leasehold(target, ['restore', dump], () => AbortSignal.abort());
  expect({ code, err }).toEqual({ code: exitCodes.refused, err: 'interrupted: nothing was restored' });
  expect(await objectsIn(target.queue)).toBe(0);
});

import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { expect, test } from 'vitest';
import { checkMigrations, createPool, listMigrations, migrate, migrateWithin } from './index.js';

const logger = createLogger({ service: 'test', level: 'fatal' });
const folder = (name: string): URL => new URL(`../testdata/${name}/`, import.meta.url);

async function withDatabase(work: (url: string, check: (name: string) => Promise<{ ok: boolean; detail?: string }>) => Promise<void>): Promise<void> {
  const { connectionString } = await testDatabase();
  const db = createPool({ connectionString, applicationName: 'test', logger });
  try {
    await work(connectionString, (name) => checkMigrations(db, folder(name)));
  } finally {
    await db.stop();
  }
}

test('each migration is applied once, also when two deployments come at the same time', async () => {
  await withDatabase(async (connectionString, check) => {
    expect(await check('first')).toMatchObject({ ok: false });
    const applied = await Promise.all([1, 2, 3].map(() => migrate({ connectionString, directory: folder('first'), logger })));
    expect(applied.flatMap((a) => a.applied).toSorted()).toEqual(['001.do.one.sql', '002.do.two.sql']);
    expect(await check('first')).toEqual({ name: 'migrations', ok: true });
  });
});

test('a migration that fails half way leaves the database as it was', async () => {
  await withDatabase(async (connectionString, check) => {
    await expect(migrate({ connectionString, directory: folder('broken'), logger })).rejects.toThrow('division by zero');
    const db = createPool({ connectionString, applicationName: 'test', logger });
    expect((await db.pool.query("select to_regclass('half_done') as t, to_regclass('one') as o")).rows).toEqual([{ t: null, o: null }]);
    await db.stop();
    expect(await check('broken')).toMatchObject({ ok: false });
  });
});

test('a landed migration that changed since is refused, at migration and at start', async () => {
  await withDatabase(async (connectionString, check) => {
    await migrate({ connectionString, directory: folder('first'), logger });
    await expect(migrate({ connectionString, directory: folder('changed'), logger })).rejects.toThrow(/md5|checksum/i);
    expect(await check('changed')).toMatchObject({ ok: false, detail: 'applied with another content: 001.do.one.sql' });
  });
});

test('a build runs on a schema that is ahead of it, and its migrate command changes nothing there', async () => {
  await withDatabase(async (connectionString, check) => {
    await migrate({ connectionString, directory: folder('first'), logger });
    expect(await check('older')).toEqual({ name: 'migrations', ok: true });
    expect(await migrate({ connectionString, directory: folder('older'), logger })).toEqual({ applied: [] });
    expect(await check('first')).toEqual({ name: 'migrations', ok: true });
  });
});

test('two owners of tables in one database number their migrations each for themselves', async () => {
  const { connectionString } = await testDatabase();
  const db = createPool({ connectionString, applicationName: 'test', logger });
  try {
    await migrate({ connectionString, directory: folder('first'), logger });
    expect(await checkMigrations(db, folder('older'), 'other_version')).toMatchObject({ name: 'migrations other_version', ok: false });
    await db.pool.query('drop table one');
    expect(await migrate({ connectionString, directory: folder('older'), versionTable: 'other_version', logger })).toEqual({ applied: ['001.do.one.sql'] });
    expect(await checkMigrations(db, folder('older'), 'other_version')).toMatchObject({ ok: true });
    expect(await checkMigrations(db, folder('first'))).toMatchObject({ ok: true });
  } finally {
    await db.stop();
  }
});

test('within a transaction of the caller migrations go up to the version asked for, and away with it', async () => {
  const { connectionString } = await testDatabase();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const here = { client, directory: folder('first'), versionTable: 'schema_version' };
    await client.query('begin');
    expect(await migrateWithin({ ...here, to: 1 })).toEqual(['001.do.one.sql']);
    expect(await migrateWithin(here)).toEqual(['002.do.two.sql']);
    const { rows } = await client.query('select version::integer as version, md5 from schema_version where version > 0 order by version');
    expect((await listMigrations(here.directory)).map(({ version, md5 }) => ({ version, md5 }))).toEqual(rows);
    await client.query('rollback');
    expect((await client.query("select to_regclass('schema_version') as there")).rows).toEqual([{ there: null }]);
  } finally {
    await client.end();
  }
});

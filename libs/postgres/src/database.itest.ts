import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, isDataError, sql, type Database, type Statement } from './index.js';

const logger = createLogger({ service: 'test', level: 'fatal' });
const statement = (text: string): Statement => ({ name: text.slice(0, 60), text });
let url: string;
let db: Database;

beforeAll(async () => {
  url = (await testDatabase()).connectionString;
  db = createPool({ connectionString: url, applicationName: 'test', max: 4, statementTimeoutMs: 2_000, lockTimeoutMs: 300, connectTimeoutMs: 300, logger });
  await db.start();
  await db.pool.query('create table t (id bigint primary key, n bigint)');
});
afterAll(() => db.stop());

test('64-bit integers are bigint, also in arrays, and lose no digit', async () => {
  const [row] = await db.query<{ one: bigint; many: bigint[]; none: bigint[] }>(statement("select 9007199254740993 as one, array[9007199254740993, -1] as many, '{}'::bigint[] as none"), []);
  expect(row).toEqual({ one: 9007199254740993n, many: [9007199254740993n, -1n], none: [] });
});

test('a deadlock is repeated from the start of the transaction', async () => {
  await db.pool.query('truncate t; insert into t values (1, 0), (2, 0)');
  // Without the lock timeout of the pool, which would come first.
  const patient = createPool({ connectionString: url, applicationName: 'patient', max: 4, lockTimeoutMs: 10_000, logger });
  let arrived = 0;
  let bothHoldOne: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (bothHoldOne = resolve));
  const add = statement('update t set n = n + 1 where id = $1');
  const both = (first: number, second: number): Promise<void> =>
    patient.transaction(async (tx) => {
      await tx.query(add, [first]);
      if (++arrived === 2) bothHoldOne();
      await met;
      await tx.query(add, [second]);
    });
  await Promise.all([both(1, 2), both(2, 1)]);
  await patient.stop();
  expect(await db.query(statement('select id, n from t order by id'), [])).toEqual([{ id: 1n, n: 2n }, { id: 2n, n: 2n }]);
  expect(arrived).toBeGreaterThan(2);
});

test('an error of the work leaves nothing behind and reaches the caller', async () => {
  await db.pool.query('truncate t');
  await expect(
    db.transaction(async (tx) => {
      await tx.query(statement('insert into t values ($1, $2)'), [1, 1]);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await db.query(statement('select 1 from t'), [])).toEqual([]);
});

test('a wait for a lock ends at its timeout', async () => {
  await db.pool.query('truncate t; insert into t values (1, 0)');
  await db.transaction(async (tx) => {
    await tx.query(statement('select from t where id = 1 for update'), []);
    await expect(db.query(statement('update t set n = 5 where id = 1'), [])).rejects.toMatchObject({ code: '55P03' });
  });
});

test('an exhausted pool is an error, not a hang', async () => {
  const held = await Promise.all(Array.from({ length: 4 }, () => db.pool.connect()));
  await expect(db.query(statement('select 1'), [])).rejects.toThrow('timeout');
  for (const client of held) client.release();
  expect(await db.check()).toMatchObject({ ok: true });
});

test('connections that the server ends are replaced', async () => {
  await db.query(statement('select 1'), []);
  const other = createPool({ connectionString: url, applicationName: 'other', logger });
  await other.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test' and datname = current_database()");
  await expect.poll(() => db.check()).toMatchObject({ ok: true });
  await other.stop();
});

test('bad values are told from other errors, so that a batch is worth splitting', async () => {
  const fails = async (text: string): Promise<unknown> => db.query(statement(text), []).catch((error: unknown) => error);
  expect(isDataError(await fails("select 'x'::int"))).toBe(true);
  expect(isDataError(await fails('insert into t values (null)'))).toBe(true);
  expect(isDataError(await fails('select from nowhere'))).toBe(false);
  expect(isDataError(new Error('no SQLSTATE'))).toBe(false);
});

test('a statement is read from the file beside the source, also by compiled code, and a missing one fails at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-sql-'));
  await writeFile(join(folder, 'get.sql'), '-- One.\nselect 1 as one');
  const module = pathToFileURL(join(folder, 'module.js')).href;
  expect(await db.query(sql(module, 'get'), [])).toEqual([{ one: 1 }]);
  expect(() => sql(module, 'gone')).toThrow('gone.sql');
  await rm(folder, { recursive: true });
});

test('a connection that is lost between two statements fails its transaction, not the process', async () => {
  const lines: string[] = [];
  const noticed = createPool({ connectionString: url, applicationName: 'noticed', logger: createLogger({ service: 'test', destination: { write: (line) => { lines.push(line); } } }) });
  const transaction = noticed.transaction(async (tx) => {
    const [backend] = await tx.query<{ pid: number }>(statement('select pg_backend_pid() as pid'), []);
    await db.pool.query('select pg_terminate_backend($1)', [backend?.pid]);
    await expect.poll(() => lines.join('')).toContain('postgres_connection_lost');
    await tx.query(statement('select 1'), []);
  });
  await expect(transaction).rejects.toThrow();
  expect(await noticed.check()).toMatchObject({ ok: true });
  await noticed.stop();
});

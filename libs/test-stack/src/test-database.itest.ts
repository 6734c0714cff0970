import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from './test-database.js';

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});

async function open(o?: Parameters<typeof testDatabase>[0]): Promise<TestDatabase> {
  const database = await testDatabase(o);
  opened.push(database);
  return database;
}

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}

test('databases made at the same time are apart from each other', async () => {
  const [one, other] = await Promise.all([open(), open()]);
  await query(one.connectionString, 'create table only_here (n int)');
  expect(await query(other.connectionString, "select to_regclass('only_here') as found")).toEqual([{ found: null }]);
});

test('the server keeps synchronous_commit, sorts by code point and listens on loopback only', async () => {
  const { connectionString } = await open();
  const settings = await query(connectionString, `select current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as listen,
    current_setting('max_connections') as connections, 'B' < 'a' as by_code_point, upper('é') = 'É' as unicode`);
  expect(settings).toEqual([{ commit: 'on', listen: '127.0.0.1', connections: '200', by_code_point: true, unicode: true }]);
});

test('a template is prepared once, whoever asks at the same time', async () => {
  let prepared = 0;
  const template = {
    name: 'once',
    prepare: async (connectionString: string) => {
      prepared += 1;
      await query(connectionString, 'create table migrated as select 7 as n');
    },
  };
  const clones = await Promise.all([open({ template }), open({ template }), open({ template })]);
  for (const clone of clones) expect(await query(clone.connectionString, 'select n from migrated')).toEqual([{ n: 7 }]);
  expect(prepared).toBe(1);
});

test('a preparation that failed is repeated by the next caller', async () => {
  const failing = { name: 'again', prepare: () => Promise.reject(new Error('migration 3 is wrong')) };
  await expect(open({ template: failing })).rejects.toThrow('migration 3 is wrong');
  const clone = await open({ template: { name: 'again', prepare: (url) => query(url, 'create table migrated (n int)') } });
  expect(await query(clone.connectionString, 'select * from migrated')).toEqual([]);
});

test('dropping removes the database also while somebody is connected, and twice', async () => {
  const database = await open();
  const client = new pg.Client({ connectionString: database.connectionString });
  const cut = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await database.drop();
  await database.drop();
  await cut;
  await expect(query(database.connectionString, 'select 1')).rejects.toThrow('does not exist');
});

import { randomBytes } from 'node:crypto';
import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { grantServiceRole, migrate } from './index.js';

const logger = createLogger({ service: 'test', level: 'fatal' });
const grants = new URL('../testdata/roles/one.sql', import.meta.url);

let connectionString: string;
let owner: pg.Pool;
beforeAll(async () => {
  ({ connectionString } = await testDatabase());
  await migrate({ connectionString, directory: new URL('../testdata/first/', import.meta.url), logger });
  owner = new pg.Pool({ connectionString, max: 2 });
});
afterAll(() => owner.end());

/** A role of its own with a password, gone when the test ends. */
async function role(attributes = ''): Promise<{ name: string; client(database?: string): Promise<pg.Client> }> {
  const name = `service_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await owner.query(`create role ${name} login password '${password}' ${attributes}`);
  onTestFinished(async () => void (await owner.query(`drop owned by ${name}; drop role ${name}`)));
  return {
    name,
    client: async (database) => {
      const url = new URL(connectionString);
      [url.username, url.password] = [name, password];
      if (database !== undefined) url.pathname = `/${database}`;
      const client = new pg.Client({ connectionString: url.href });
      // Its database may be dropped under it.
      client.on('error', () => undefined);
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
  };
}

const denied = { code: '42501' };

test('a role may do what it was granted and nothing else, whatever it could before', async () => {
  const service = await role();
  await owner.query(`grant all on one to ${service.name}; grant create on schema public to ${service.name}`);
  await grantServiceRole({ connectionString, role: service.name, grants, logger });
  const client = await service.client();
  await client.query('select * from one');
  for (const statement of [
    'insert into one default values', 'delete from one', 'select * from schema_version', 'drop table one', 'alter table one add column more text', 'truncate one',
    'create table mine (id int)', 'create temporary table mine (id int)', 'create schema mine', 'create role mine', "copy one to program 'true'", "select pg_read_file('/etc/passwd')", 'select rolpassword from pg_authid',
    'create extension file_fdw', 'set role postgres',
  ]) await expect(client.query(statement), statement).rejects.toThrow(/permission denied|must be owner|permission|not allowed/);
});

test('it may be repeated under a running service, also by two deployments at once', async () => {
  const service = await role();
  await grantServiceRole({ connectionString, role: service.name, grants, logger });
  const client = await service.client();
  await client.query('begin; select * from one');
  await Promise.all([1, 2, 3].map(() => grantServiceRole({ connectionString, role: service.name, grants, logger })));
  await client.query('select * from one; commit');
});

test('the role of one service gets into no other database of the cluster', async () => {
  const [service, neighbour] = [await role(), await role()];
  const other = await testDatabase();
  await migrate({ connectionString: other.connectionString, directory: new URL('../testdata/first/', import.meta.url), logger });
  await grantServiceRole({ connectionString, role: service.name, grants, logger });
  await grantServiceRole({ connectionString: other.connectionString, role: neighbour.name, grants, logger });
  await expect(service.client(other.name)).rejects.toMatchObject(denied);
  await expect(neighbour.client()).rejects.toMatchObject(denied);
  await neighbour.client(other.name);
  await other.drop();
});

test.each([['superuser'], ['createdb'], ['createrole'], ['replication'], ['bypassrls'], ['in role pg_read_all_data']])('a role that is %s is refused, and nothing is changed', async (attributes) => {
  const service = await role(attributes);
  await expect(grantServiceRole({ connectionString, role: service.name, grants, logger })).rejects.toThrow('is no role for a service');
  expect((await owner.query("select has_table_privilege($1, 'one', 'select') as granted, $2 as superuser", [service.name, attributes])).rows[0]).toMatchObject({ granted: attributes === 'superuser' || attributes.includes('pg_read_all_data') });
});

test('a role that owns something here is refused, and so is one that is not there', async () => {
  const service = await role();
  await owner.query(`create table theirs (id int); alter table theirs owner to ${service.name}`);
  await expect(grantServiceRole({ connectionString, role: service.name, grants, logger })).rejects.toThrow('it owns things here');
  await expect(grantServiceRole({ connectionString, role: 'nobody_here', grants, logger })).rejects.toThrow('there is no role nobody_here: make it first');
});

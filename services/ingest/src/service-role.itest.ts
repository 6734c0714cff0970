import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asService, prepare } from './testbed/service-role.fixture.js';

// That this role can do all that ingest does, every other test of this project shows: their ingests connect as it.
let service: pg.Client;
beforeAll(async () => {
  const { connectionString } = await testDatabase();
  await prepare(connectionString);
  service = new pg.Client({ connectionString: asService(connectionString) });
  await service.connect();
});
afterAll(() => service.end());

test.each([
  'delete from files', 'truncate files', "insert into passes (name) values ('mine')", 'delete from passes', 'delete from schema_version', 'drop table files', 'alter table files drop constraint files_state',
  'delete from imports', 'insert into stock values (\'a\', \'b\', 1, now())', 'update stock set quantity = 1', 'update catalogues set generation = 1', "insert into stock_moves default values", 'insert into applied_batches default values', 'truncate import_jobs', 'update idempotency_terms set term = null',
  'create table mine (id int)', 'create temporary table mine (id int)', "copy files to program 'true'", 'select rolpassword from pg_authid',
])('ingest\'s role cannot: %s', async (statement) => {
  await expect(service.query(statement)).rejects.toThrow(/permission denied|must be owner/);
});

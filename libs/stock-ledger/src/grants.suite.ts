import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from './index.js';
import { openTestbed, type Testbed } from './testbed/ledger.fixture.js';

describe('roles', () => {
  // That these roles can do all that their services need, every other test of this project shows: their ledgers connect as them.
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  test.each([
    'delete from imports', 'delete from applied_batches', 'update applied_batches set generation = 2', 'delete from stock', 'update stock_moves set quantity = 1', 'delete from stock_moves',
    'delete from catalogues', 'insert into idempotency_terms (namespace) values (\'\')', 'select from stock_moves_archive', 'create table mine (id int)', 'select archive_month(now())', 'truncate imports',
  ])('the role of import-worker cannot: %s', async (statement) => {
    await expect(bed.workerDb.pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test.each([
    'delete from imports', 'update stock set quantity = 1', 'insert into stock (namespace, sku, quantity, update_time) values (\'a\', \'b\', 1, now())', 'update stock_moves set quantity = 1', 'update catalogues set generation = 1',
    'insert into applied_batches select * from applied_batches', 'delete from stock_moves_archive', 'update idempotency_terms set term = null', 'create temporary table mine (id int)', 'create table mine (id int)',
  ])('the role of ingest cannot: %s', async (statement) => {
    await expect(bed.ingestDb.pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test('each role sees whether the tables are those of this build', async () => {
    expect(await checkLedger(bed.workerDb)).toEqual({ name: 'migrations ledger_schema_version', ok: true });
    expect(await checkLedger(bed.ingestDb)).toMatchObject({ ok: true });
  });
});

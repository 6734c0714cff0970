import { readFileSync } from 'node:fs';
import type { Database } from '@leasehold/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRow, RunIdentity } from '../index.js';
import { digestOf, openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

// V7: what release 0.1.0 says to the database, word for word (src/testbed/previous-release), on today's tables, beside today's ledger.
const said = (statement: string): string => readFileSync(new URL(`../testbed/previous-release/${statement}.sql`, import.meta.url), 'utf8').replaceAll(/^--.*$/gm, '');

describe('V7: the previous release on today\'s tables', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  const ask = async (db: Database, statement: string, values: unknown[]) => (await db.pool.query<Record<string, unknown>>({ name: `previous-${statement}`, text: said(statement), values })).rows;
  const acceptedBefore = (importId: string, content: string, namespace: string) =>
    ask(bed.ingestDb, 'journal-accept', [namespace, importId, 'k', 'v', 10n, digestOf(content), '', digestOf(content)]);
  const begunBefore = (run: RunIdentity) => ask(bed.workerDb, 'journal-begin', [run.namespace, run.importId, run.generation, run.fence, run.tokenDigest]);

  /** A run of its, on a connection of its own. */
  async function appliedBefore({ namespace, importId, generation, fence, tokenDigest }: RunIdentity, rows: readonly LedgerRow[]): Promise<Record<string, unknown>> {
    const client = await bed.workerDb.pool.connect();
    try {
      await client.query(said('run-make-rows'));
      for (const { line, sku, quantity } of rows) await client.query('insert into pg_temp.import_rows (line, sku, quantity) values ($1, $2, $3)', [line, sku, quantity]);
      await client.query(said('run-make-net'));
      await client.query(said('run-make-apply'));
      const { rows: [counted] } = await client.query<{ zero_rows: bigint; units_in: bigint }>(said('run-count-rows'));
      const { rows: [answer] } = await client.query<Record<string, unknown>>(said('run-apply'), [namespace, importId, generation, fence, tokenDigest, counted?.zero_rows, counted?.units_in]);
      return answer ?? {};
    } finally {
      client.release(true);
    }
  }
  async function shippedBefore(importId: string, rows: readonly LedgerRow[], namespace: string): Promise<Record<string, unknown>> {
    await acceptedBefore(importId, importId, namespace);
    const run = runOf(importId, 1n, 1, namespace);
    await begunBefore(run);
    return appliedBefore(run, rows);
  }
  const inNorth = { layout: 'warehouses' as const };
  const north = (sku: string, quantity: number): LedgerRow[] => [{ line: 2, warehouse: 'north', sku, quantity }];

  test('it accepts, begins and applies, takes and gives, and today\'s ledger reads what it did', async () => {
    await bed.ship('today', 1n, rowsOf(['A', 5], ['B', 1]), 'both');
    await bed.ship('today-north', 1n, north('A', 50), 'both', inNorth);
    expect(await shippedBefore('before', rowsOf(['A', 2], ['C', 3], ['A', -4]), 'both')).toMatchObject({ verdict: 'applied', state: 'applied', skus: 2n, units_in: 5n, units_out: 4n });
    expect(await shippedBefore('too-much', rowsOf(['A', -4]), 'both')).toMatchObject({ verdict: 'refused', stock_fault_count: 1n });
    await bed.ship('today-2', 1n, rowsOf(['A', -1]), 'both');
    expect(await bed.quantities('both')).toEqual({ A: 2n, B: 1n, C: 3n });
    expect(await bed.ledger.find({ namespace: 'both', importId: 'before' })).toMatchObject({ state: 'applied', mode: 'atomic', layout: 'single', result: { rows: 3n, rejectedRows: 0n, warehouses: 1n } });
    expect(await bed.ledger.imbalance('both')).toEqual([]);
  });

  test('its reads are of the default warehouse, as if there were no other', async () => {
    await bed.ship('one', 1n, rowsOf(['A', 5]), 'reads');
    await bed.ship('two', 1n, [...north('A', 7), ...rowsOf(['Z', 1]).map((row) => ({ ...row, line: 3 }))], 'reads', inNorth);
    expect(await ask(bed.ingestDb, 'stock-get', ['reads', ['A', 'Z']])).toMatchObject([{ sku: 'A', quantity: 5n, generation: 2n }, { sku: 'Z', quantity: 1n }]);
    expect((await ask(bed.ingestDb, 'stock-list', ['reads', '', '', 10])).map((row) => `${String(row['sku'])} ${String(row['quantity'])}`)).toEqual(['A 5', 'Z 1']);
    expect(await ask(bed.owner, 'stock-imbalance', ['reads', 10])).toEqual([]);
    expect(await ask(bed.ingestDb, 'stock-preview', ['reads', [2], ['A'], [-6n], 10])).toMatchObject([{ sku: 'A', in_stock: 5n }]);
    expect((await ask(bed.ingestDb, 'journal-moves', ['reads', 'two', '', 10])).map((row) => row['sku'])).toEqual(['Z']);
    expect((await ask(bed.ingestDb, 'journal-list', ['reads', ['applied'], null, 10])).map((row) => row['import_id'])).toEqual(['two', 'one']);
  });

  test('what it archives it leaves whole: moves of warehouses stay where they are', async () => {
    await bed.ship('old', 1n, [...rowsOf(['A', 5]), ...north('A', 7).map((row) => ({ ...row, line: 3 }))], 'moved', inNorth);
    for (const table of ['stock_moves', 'warehouse_moves']) await bed.owner.pool.query(`update ${table} set apply_time = apply_time - interval '400 days' where namespace = 'moved'`);
    const [{ apply_time: time } = { apply_time: undefined }] = (await bed.owner.pool.query<{ apply_time: Date }>("select apply_time from stock_moves where namespace = 'moved'")).rows;
    const [month] = await ask(bed.ingestDb, 'archive-month', [time]);
    expect(await ask(bed.ingestDb, 'archive-move-moves', [86_400_000, month?.['month_start'], month?.['month_end'], 10])).toEqual([{ moved: 1 }]);
    expect(await bed.ledger.imbalance('moved')).toEqual([]);
    expect((await bed.owner.pool.query("select from warehouse_moves where namespace = 'moved'")).rowCount).toBe(1);
  });

  test('its statements that were prepared before answer the columns that they did', async () => {
    const columns = async () => Object.keys((await ask(bed.ingestDb, 'journal-find', ['reads', 'two']))[0] ?? {});
    expect(await columns()).not.toContain('mode');
    expect((await bed.owner.pool.query("select column_name from information_schema.columns where table_name = 'imports'")).rowCount).toBe((await columns()).length);
  });

  test('it cannot apply what was submitted in part or for warehouses, however it came by the job', async () => {
    await bed.ledger.accept({ ...submission('p', 'p', 'part'), mode: 'partial', layout: 'warehouses' });
    const run = runOf('p', 1n, 1, 'part');
    await begunBefore(run);
    await expect(appliedBefore(run, rowsOf(['A', 5]))).rejects.toThrow('was submitted as partial warehouses');
    expect(await bed.quantities('part')).toEqual({});
    // A refusal of its own, a retry through it, and then today's worker.
    await ask(bed.workerDb, 'journal-reject', ['part', 'p', 1, 1n, run.tokenDigest, 'SKU', 1, [2n], ['sku'], ['SKU'], ['x']]);
    const revision = (await bed.ledger.find({ namespace: 'part', importId: 'p' }))?.revision;
    expect(await ask(bed.ingestDb, 'journal-retry', ['part', 'p', revision])).toMatchObject([{ state: 'accepted', generation: 2 }]);
    const again = runOf('p', 2n, 2, 'part');
    expect(await bed.worker.begin(again)).toMatchObject({ verdict: 'begun', import: { mode: 'partial', layout: 'warehouses' } });
    expect(await bed.apply(again, north('A', 5), undefined, { mode: 'partial', layout: 'warehouses' })).toMatchObject({ verdict: 'applied' });
  });

  test('a corrected file that is handed to it is one without options, and its worker applies it', async () => {
    await bed.ledger.accept({ ...submission('c', 'one', 'corrected'), mode: 'partial' });
    await bed.ledger.settle({ namespace: 'corrected', importId: 'c', generation: 1, outcome: { kind: 'refused', reason: 'EXHAUSTED' }, outcomeFence: 5n });
    expect(await ask(bed.ingestDb, 'journal-reopen', ['corrected', 'c', 'k', 'v', 10n, digestOf('two'), '', digestOf('two')])).toMatchObject([{ generation: 2 }]);
    const run = runOf('c', 9n, 2, 'corrected');
    await begunBefore(run);
    expect(await appliedBefore(run, rowsOf(['A', 5]))).toMatchObject({ verdict: 'applied' });
    expect(await bed.ledger.find({ namespace: 'corrected', importId: 'c' })).toMatchObject({ mode: 'atomic', layout: 'single', result: { rejectedRows: 0n } });
  });

  test('a row that it heals is as it was', async () => {
    await bed.ship('h', 1n, rowsOf(['A', 5], ['B', -1]), 'healed', { mode: 'partial' });
    const before = await bed.ledger.find({ namespace: 'healed', importId: 'h' });
    await bed.owner.pool.query("delete from imports where namespace = 'healed'");
    await ask(bed.ingestDb, 'journal-heal', ['healed', 'h']);
    expect(await bed.ledger.find({ namespace: 'healed', importId: 'h' })).toMatchObject({ mode: 'partial', result: { ...before?.result }, rowErrorCount: 1n });
  });

  test('its batches and today\'s over the same SKUs at once lose no unit', async () => {
    const skus = Array.from({ length: 100 }, (_, i) => `s${i}`);
    await bed.ship('base', 1n, rowsOf(...skus.map((sku) => [sku, 100] as const)), 'at-once');
    await Promise.all(Array.from({ length: 6 }, async (_, i) => {
      const rows = rowsOf(...(i % 2 === 0 ? skus : skus.toReversed()).map((sku) => [sku, i < 3 ? 2 : -1] as const));
      if (i % 3 === 0) await shippedBefore(`b-${i}`, rows, 'at-once');
      else await bed.ship(`t-${i}`, 1n, rows, 'at-once', i % 3 === 1 ? { mode: 'partial' } : {});
    }));
    expect(new Set(Object.values(await bed.quantities('at-once')))).toEqual(new Set([103n]));
    expect(await bed.ledger.imbalance('at-once')).toEqual([]);
  });
});

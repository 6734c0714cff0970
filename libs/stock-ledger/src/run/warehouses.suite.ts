import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRow } from '../index.js';
import { openTestbed, openTransaction, rowsOf, runOf, submission, waitingForLocks, type Testbed } from '../testbed/ledger.fixture.js';

const layout = 'warehouses' as const;
const mode = 'partial' as const;

/** Rows from line 2 on: warehouse, SKU, quantity; a quantity that begins with `=` sets. */
const rows = (...some: readonly (readonly [string, string, string | number])[]): LedgerRow[] => some.map(([warehouse, sku, quantity], i) => ({
  line: i + 2, warehouse, sku, quantity: Number(String(quantity).replace('=', '')), sets: String(quantity).startsWith('='),
}));

describe('warehouses, operations and partial batches', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  const inWarehouse = async (namespace: string, warehouse: string) => Object.fromEntries((await bed.ledger.listStock(namespace, { warehouse, limit: 100 })).items.map(({ sku, quantity }) => [sku, Number(quantity)]));
  const balanced = async (namespace: string) => expect(await bed.ledger.imbalance(namespace)).toEqual([]);

  test('stock is kept per warehouse; rows of one SKU count in the file\'s order, from the last that sets on', async () => {
    await bed.ship('first', 1n, rows(['', 'A', 5], ['north', 'A', 7], ['south', 'B', 2]), 'wh', { layout });
    const applied = await bed.ship('second', 1n, rows(['north', 'A', 100], ['north', 'A', '=3'], ['north', 'A', -1], ['', 'A', -5], ['south', 'B', '=2'], ['south', 'C', '=0'], ['east', 'A', 0], ['east', 'A', '=4'], ['east', 'A', 0]), 'wh', { layout });
    expect(await inWarehouse('wh', '')).toEqual({ A: 0 });
    expect(await inWarehouse('wh', 'north')).toEqual({ A: 2 });
    expect(await inWarehouse('wh', 'south')).toEqual({ B: 2, C: 0 });
    expect(await inWarehouse('wh', 'east')).toEqual({ A: 4 });
    expect(await inWarehouse('wh', 'none')).toEqual({});
    // North lost 4 by the row that sets and 1 after it, the default warehouse 5; east gained 4. What stands before a row that sets comes to nothing.
    expect(applied).toMatchObject({ verdict: 'applied', import: { mode: 'atomic', layout, result: { rows: 9n, zeroRows: 2n, skus: 3n, duplicateRows: 4n, unitsIn: 4n, unitsOut: 10n, rejectedRows: 0n, warehouses: 4n } } });
    expect(await bed.ledger.moves({ namespace: 'wh', importId: 'second' }, { limit: 2 })).toEqual([{ warehouse: '', sku: 'A', quantity: -5n, line: 5, rowCount: 1 }, { warehouse: 'east', sku: 'A', quantity: 4n, line: 8, rowCount: 3 }]);
    expect((await bed.ledger.moves({ namespace: 'wh', importId: 'second' }, { limit: 9, after: { warehouse: 'east', sku: 'A' } })).map((m) => m.warehouse)).toEqual(['north']);
    expect((await bed.ledger.stock('wh', ['A', 'B'], 'south')).items).toMatchObject([{ warehouse: 'south', sku: 'B', quantity: 2n }]);
    await balanced('wh');
  });

  test('an ATOMIC batch is refused as a whole where one warehouse has too little, by its outcome and not by what lies between', async () => {
    await bed.ship('stock', 1n, rows(['', 'A', 5], ['north', 'A', 1]), 'all', { layout });
    const refused = await bed.ship('too-much', 1n, rows(['', 'A', -6], ['north', 'A', -2], ['south', 'A', '=3'], ['south', 'A', -4], ['', 'A', 2]), 'all', { layout });
    expect(refused).toMatchObject({
      verdict: 'refused', faultCount: 2n,
      faults: [{ line: 3, warehouse: 'north', sku: 'A', inStock: 1n, change: -2n, setTo: undefined }, { line: 4, warehouse: 'south', sku: 'A', setTo: 3n, change: -4n }],
    });
    expect([await inWarehouse('all', ''), await inWarehouse('all', 'north'), await inWarehouse('all', 'south')]).toEqual([{ A: 5 }, { A: 1 }, {}]);
    expect(await bed.ship('over-zero', 1n, rows(['', 'A', -6], ['', 'A', 2]), 'all', { layout })).toMatchObject({ verdict: 'applied' });
  });

  test('of a PARTIAL batch the good rows are applied once, and the others reported in the words of a refusal, in the file\'s order', async () => {
    await bed.ship('stock', 1n, rows(['', 'A', 5], ['', 'B', 9], ['north', 'A', 1]), 'part', { layout });
    const left = { faults: [{ line: 3, column: 'quantity', code: 'QUANTITY', message: 'mend it' }, { line: 9, column: '', code: 'RAGGED', message: 'and that' }], faultCount: 2, rejectedRows: 2 };
    const batch = rows(['', 'A', -7], ['', 'none', 0], ['', 'A', 1], ['', 'B', 2], ['north', 'A', -2], ['south', 'A', -1], ['south', 'B', '=6']).filter(({ line }) => line !== 3);
    const id = { namespace: 'part', importId: 'partial' };
    await bed.ledger.accept({ ...submission('partial', 'p', 'part'), mode, layout });
    const run = runOf('partial', 1n, 1, 'part');
    await bed.worker.begin(run);
    const applied = await bed.apply(run, batch, undefined, { mode, layout, left });
    const result = { rows: 8n, zeroRows: 0n, skus: 1n, duplicateRows: 0n, unitsIn: 8n, unitsOut: 0n, rejectedRows: 6n, warehouses: 2n };
    expect(applied).toMatchObject({ verdict: 'applied', import: { mode, layout, result, rowErrorCount: 5n } });
    expect([await inWarehouse('part', ''), await inWarehouse('part', 'north'), await inWarehouse('part', 'south')]).toEqual([{ A: 5, B: 11 }, { A: 1 }, { B: 6 }]);
    const errors = await bed.ledger.rowErrors(id, { limit: 10 });
    expect(errors.map(({ position, line, code }) => `${position} ${line} ${code}`)).toEqual(['1 2 NEGATIVE_STOCK', '2 3 QUANTITY', '3 6 NEGATIVE_STOCK', '4 7 NEGATIVE_STOCK', '5 9 RAGGED']);
    expect(errors[0]?.message).toBe('the file takes 6 of "A" in all, and 5 are in stock: lower the quantity, or bring in stock first');
    expect(errors[2]?.message).toContain('the file takes 2 of "A" in north in all, and 1 are in stock');
    expect(await bed.apply(run, batch, undefined, { mode, layout, left })).toMatchObject({ verdict: 'already_applied', import: { result, rowErrorCount: 5n } });
    expect(await bed.ledger.find(id)).toMatchObject({ state: 'applied', mode, layout, result, rowErrorCount: 5n });
    expect(await bed.ledger.rowErrors(id, { limit: 10 })).toHaveLength(5);
    await balanced('part');
  });

  test('what is said of stock in a partial batch is what a refusal of the whole says', async () => {
    await bed.ship('stock', 1n, rows(['', 'plain', 1], ['', 'q"\\u', 1], ['north', 'x'.repeat(70), 1], ['', 'good', 1]), 'words', { layout });
    await bed.owner.pool.query("update stock set quantity = 9223372036854775807 where namespace = 'words' and sku = 'good'");
    const batch = rows(['', 'plain', -2], ['', 'q"\\u', -2], ['north', 'x'.repeat(70), -2], ['north', 'Ж', '=4'], ['north', 'Ж', -5], ['', 'good', 1], ['', 'fine', 1]);
    const { stockRowErrors } = await import('../index.js');
    const refused = await bed.ship('whole', 1n, batch, 'words', { layout });
    const told = refused.verdict === 'refused' ? stockRowErrors(refused.faults) : [];
    expect(told).toHaveLength(5);
    expect(await bed.ship('in-part', 1n, batch, 'words', { layout, mode })).toMatchObject({ verdict: 'applied' });
    expect((await bed.ledger.rowErrors({ namespace: 'words', importId: 'in-part' }, { limit: 10 }))).toEqual(told.map((error, i) => ({ position: i + 1, ...error })));
    // And so does a preview, which must not differ from what comes of it.
    const { faults } = await bed.ledger.preview('words', [{ line: 2, sku: 'plain', change: -2n }, { line: 5, warehouse: 'north', sku: 'Ж', setTo: 4n, change: -5n }]);
    expect(stockRowErrors(faults)).toEqual([told[0], told[3]]);
  });

  test('a PARTIAL batch of which stock can take nothing is refused, so that its id is free', async () => {
    expect(await bed.ship('nothing', 1n, rowsOf(['A', -1], ['B', -2]), 'free', { mode })).toMatchObject({ verdict: 'refused', faultCount: 2n, import: { state: 'accepted' } });
    expect(await bed.quantities('free')).toEqual({});
  });

  test('the first hundred faults are kept, all are counted, and no row is made for a SKU that is left out', async () => {
    const many = Array.from({ length: 150 }, (_, i) => [`S${String(i).padStart(3, '0')}`, -1] as const);
    expect(await bed.ship('many', 1n, rowsOf(...many, ['good', 1]), 'many', { mode })).toMatchObject({ verdict: 'applied', import: { rowErrorCount: 150n, result: { rows: 151n, rejectedRows: 150n } } });
    expect(await bed.ledger.rowErrors({ namespace: 'many', importId: 'many' }, { limit: 200 })).toHaveLength(100);
    expect(await bed.quantities('many')).toEqual({ good: 1n });
  });

  test('a batch is applied as it was submitted or not at all', async () => {
    await bed.ledger.accept({ ...submission('asked', 'asked', 'as'), mode, layout });
    const run = runOf('asked', 1n, 1, 'as');
    await bed.worker.begin(run);
    for (const other of [{}, { mode }, { layout }]) await expect(bed.apply(run, rowsOf(['A', 1]), undefined, other)).rejects.toThrow('was submitted as partial warehouses');
    expect(await bed.quantities('as')).toEqual({});
    expect(await bed.apply(run, rowsOf(['A', 1]), undefined, { mode, layout })).toMatchObject({ verdict: 'applied' });
    await bed.ledger.accept(submission('usual', 'usual', 'as'));
    const usual = runOf('usual', 1n, 1, 'as');
    await bed.worker.begin(usual);
    await expect(bed.apply(usual, rowsOf(['A', 1]), undefined, { mode })).rejects.toThrow('was submitted as atomic single');
  });

  test('a corrected file may be submitted otherwise than the refused one', async () => {
    const id = { namespace: 'corrected', importId: 'c' };
    await bed.ledger.accept({ ...submission('c', 'one', 'corrected'), mode, layout });
    const run = runOf('c', 1n, 1, 'corrected');
    await bed.worker.begin(run);
    await bed.worker.reject(run, { reason: 'SKU', faults: [], faultCount: 1 });
    expect(await bed.ledger.accept(submission('c', 'two', 'corrected'))).toMatchObject({ verdict: 'reopened', import: { mode: 'atomic', layout: 'single' } });
    expect(await bed.ledger.find(id)).toMatchObject({ mode: 'atomic', layout: 'single', generation: 2 });
    await bed.ledger.settle({ ...id, generation: 2, outcome: { kind: 'refused', reason: 'EXHAUSTED' }, outcomeFence: 5n });
    expect(await bed.ledger.accept({ ...submission('c', 'three', 'corrected'), layout })).toMatchObject({ verdict: 'reopened', import: { mode: 'atomic', layout } });
  });

  test('batches over the same warehouses in opposite orders, some setting, never wait for each other in a circle', async () => {
    const keys = ['', 'a', 'b', 'c'].flatMap((warehouse) => Array.from({ length: 40 }, (_, i) => [warehouse, `s${i}`] as const));
    await bed.ship('base', 1n, rows(...keys.map(([w, s]) => [w, s, 100] as const)), 'order', { layout });
    let tries = 0;
    const answers = await Promise.all(Array.from({ length: 6 }, async (_, i) => {
      const some = i % 2 === 0 ? keys : keys.toReversed();
      await bed.ledger.accept({ ...submission(`o-${i}`, 'o', 'order'), layout });
      const run = runOf(`o-${i}`, 1n, 1, 'order');
      await bed.worker.begin(run);
      return bed.apply(run, rows(...some.map(([w, s]) => [w, s, i === 5 ? '=7' : i - 3] as const)), () => {
        tries += 1;
        return 60_000;
      }, { layout });
    }));
    expect(answers.map((a) => a.verdict)).toEqual(answers.map(() => 'applied'));
    expect(tries).toBe(6);
    await balanced('order');
  });

  test('a partial batch judges behind its locks: what another batch commits meanwhile counts', async () => {
    await bed.ship('base', 1n, rowsOf(['W', 5]), 'behind');
    const other = await openTransaction(bed.owner);
    await other.query("update stock set quantity = 1 where namespace = 'behind' and sku = 'W'");
    const applying = bed.ship('waits', 1n, rowsOf(['V', 1], ['W', -3]), 'behind', { mode });
    await waitingForLocks(bed.owner);
    await other.commit();
    expect(await applying).toMatchObject({ verdict: 'applied', import: { result: { rejectedRows: 1n } } });
    expect(await bed.quantities('behind')).toEqual({ V: 1n, W: 1n });
  });

  test('moves of every warehouse go to the archive, and are read from there', async () => {
    await bed.ship('old', 1n, rows(['', 'A', 5], ['north', 'A', 6], ['south', 'A', 7]), 'archived', { layout });
    const before = await bed.ledger.moves({ namespace: 'archived', importId: 'old' }, { limit: 10 });
    for (const table of ['stock_moves', 'warehouse_moves', 'imports']) {
      await bed.owner.pool.query(`update ${table} set ${table === 'imports' ? 'end_time = end_time' : 'apply_time = apply_time'} - interval '200 days' where namespace = 'archived'`);
    }
    for (let n = 1; n > 0;) n = await bed.ledger.archive({ olderThanMs: 90 * 86_400_000, limit: 1 });
    expect((await bed.owner.pool.query("select from warehouse_moves where namespace = 'archived'")).rowCount).toBe(0);
    expect(await bed.ledger.moves({ namespace: 'archived', importId: 'old' }, { limit: 10 })).toEqual(before);
    await balanced('archived');
  });
});

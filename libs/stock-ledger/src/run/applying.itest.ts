import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

let bed: Testbed;
let batch = '';
let nextFence = 100n;
let counter = 0;
beforeAll(async () => {
  bed = await openTestbed();
});
afterAll(() => bed.stop());
beforeEach(() => {
  batch = `b${(counter += 1)}`;
  nextFence += 100n;
});

const accepted = async (content = 'a') => bed.ledger.accept(submission(batch, content));
const begun = async (fence = nextFence, generation = 1) => {
  const run = runOf(batch, fence, generation);
  expect(await bed.worker.begin(run)).toMatchObject({ verdict: 'begun' });
  return run;
};

test('a shipment changes stock, its moves, the catalogue and the journal together, and says what it did', async () => {
  await accepted();
  const applied = await bed.apply(await begun(), rowsOf(['b\\1\t2', 3], ['a', 5], ['b\\1\t2', -1], ['zero', 0], ['evens', 4], ['evens', -4]));
  expect(applied).toMatchObject({
    verdict: 'applied',
    import: { state: 'applied', endedBy: 'run', result: { rows: 6n, zeroRows: 1n, skus: 4n, duplicateRows: 2n, unitsIn: 12n, unitsOut: 5n, catalogueGeneration: 1n } },
  });
  expect(await bed.quantities()).toEqual({ a: 5n, 'b\\1\t2': 2n });
  expect((await bed.owner.pool.query('select sku, quantity, line, row_count from stock_moves where import_id = $1 order by sku', [batch])).rows).toEqual([
    { sku: 'a', quantity: 5n, line: 3, row_count: 1 }, { sku: 'b\\1\t2', quantity: 2n, line: 2, row_count: 2 },
  ]);
  const read = await bed.ledger.stock('shop', ['b\\1\t2', 'a', 'zero']);
  expect(read.items.map(({ sku, quantity }) => [sku, quantity])).toEqual([['a', 5n], ['b\\1\t2', 2n]]);
  expect(read.catalogue).toMatchObject({ generation: 1n, tag: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test('a repeat of an applied run answers its result and changes nothing', async () => {
  await accepted();
  const run = await begun();
  const first = await bed.apply(run, rowsOf(['again', 1]));
  const second = await bed.apply(run, rowsOf(['again', 1]));
  expect(second).toMatchObject({ verdict: 'already_applied', import: { result: first.verdict === 'applied' ? first.import.result : {} } });
  expect((await bed.quantities())['again']).toBe(1n);
});

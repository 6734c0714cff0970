import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestbed, rowsOf, type Testbed } from '../testbed/ledger.fixture.js';

describe('reading stock', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  test('before the first import there is no stock, and the catalogue says so', async () => {
    const nothing = { catalogue: { generation: 0n, tag: '' }, items: [] };
    expect(await bed.ledger.stock('empty', ['a'])).toEqual(nothing);
    expect(await bed.ledger.listStock('empty', { limit: 10 })).toEqual(nothing);
  });

  test('stock is read with its catalogue, in the order of the SKUs\' bytes, by prefix and in pages', async () => {
    await bed.ship('pages', 1n, rowsOf(['b-2', 1], ['a', 2], ['B-1', 3], ['b-1', 4], ['b-10', 5], ['b', 6], ['ž', 7], ['b%', 8], ['c', 9]));
    const skus = async (page: Parameters<typeof bed.ledger.listStock>[1]) => (await bed.ledger.listStock('shop', page)).items.map((i) => i.sku);
    expect(await skus({ limit: 20 })).toEqual(['B-1', 'a', 'b', 'b%', 'b-1', 'b-10', 'b-2', 'c', 'ž']);
    expect(await skus({ limit: 20, prefix: 'b' })).toEqual(['b', 'b%', 'b-1', 'b-10', 'b-2']);
    expect(await skus({ limit: 2, prefix: 'b', afterSku: 'b%' })).toEqual(['b-1', 'b-10']);
    expect(await skus({ limit: 20, prefix: 'b-1' })).toEqual(['b-1', 'b-10']);
    expect(await skus({ limit: 20, prefix: 'none' })).toEqual([]);
    const { items, catalogue } = await bed.ledger.stock('shop', ['ž', 'a', 'missing', 'a']);
    expect(items).toMatchObject([{ sku: 'a', quantity: 2n, updateTime: expect.any(Date) }, { sku: 'ž', quantity: 7n }]);
    expect(catalogue.generation).toBe(1n);
    expect((await bed.ledger.listStock('shop', { limit: 1, prefix: 'none' })).catalogue).toEqual(catalogue);
  });

  test('each apply makes another generation and tag, and a reader never sees stock of one with the tag of another', async () => {
    await bed.ship('torn-0', 1n, rowsOf(['t-1', 1], ['t-2', 1]), 'torn');
    const seen = new Map<string, string>();
    let applying = true;
    const reader = (async () => {
      while (applying) {
        const { items, catalogue } = await bed.ledger.stock('torn', ['t-1', 't-2']);
        const quantities = items.map((i) => i.quantity).join(' ');
        expect(items.every((i) => i.quantity === catalogue.generation)).toBe(true);
        expect(seen.get(catalogue.tag) ?? quantities).toBe(quantities);
        seen.set(catalogue.tag, quantities);
      }
    })();
    for (let i = 1; i < 15; i++) await bed.ship(`torn-${i}`, 1n, rowsOf(['t-1', 1], ['t-2', 1]), 'torn');
    applying = false;
    await reader;
    expect(seen.size).toBeGreaterThan(1);
  });

  test('a preview names what applying now would leave below 0, as the apply does, and changes nothing', async () => {
    await bed.ship('previewed', 1n, rowsOf(['p-1', 5]), 'preview');
    const changes = [{ line: 4, sku: 'p-1', change: -6n }, { line: 2, sku: 'p-new', change: -1n }, { line: 3, sku: 'p-other', change: 9n }];
    expect(await bed.ledger.preview('preview', changes)).toMatchObject({
      faultCount: 2n,
      faults: [{ code: 'NEGATIVE_STOCK', line: 2, sku: 'p-new', inStock: 0n, change: -1n }, { code: 'NEGATIVE_STOCK', line: 4, sku: 'p-1', inStock: 5n, change: -6n }],
    });
    const many = Array.from({ length: 25_000 }, (_, i) => ({ line: 25_000 - i, sku: `p-${i}`, change: i === 1 ? -5n : -1n }));
    const { faults, faultCount } = await bed.ledger.preview('preview', many);
    expect([faultCount, faults.length, faults[0]?.line, faults[99]?.line]).toEqual([24_999n, 100, 1, 100]);
    expect(await bed.quantities('preview')).toEqual({ 'p-1': 5n });
  });
});

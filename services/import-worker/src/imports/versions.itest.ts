import { ImportPayload as PayloadV1, ImportResult as ResultV1 } from '@leasehold/jobs-imports-v1';
import { ImportLayout, ImportMode, ImportPayload, ImportResult } from '@leasehold/jobs-imports-v2';
import { manifestFile } from '@leasehold/shipment-csv/testing';
import { testJob } from '@leasehold/worker-runtime/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShipmentBed, type ShipmentBed } from '../testing/shipment-bed.js';
import { importHandler } from './import-handler.js';

let bed: ShipmentBed;
let fence = 0n;
beforeAll(async () => {
  bed = await openShipmentBed();
});
afterAll(() => bed.close());

type Asked = NonNullable<Parameters<ShipmentBed['submit']>[2]>;

/** As a lease hands it over: a payload of a version in, a result of that version out, or the fault. */
async function runAs(version: 1 | 2, importId: string, content: Uint8Array | string, asked: Asked): Promise<unknown> {
  const { order: { source, generation, charset, mode, layout } } = await bed.submit(importId, content, asked);
  const base = { importId, generation, source: { ...source, sizeBytes: BigInt(source.sizeBytes) }, charset: charset ?? '' };
  const payload = version === 1
    ? PayloadV1.encode(base).finish()
    : ImportPayload.encode({
        ...base, mode: mode === 'partial' ? ImportMode.PARTIAL : ImportMode.ATOMIC, layout: layout === 'single' ? ImportLayout.SINGLE : ImportLayout.WAREHOUSES,
      }).finish();
  const handler = importHandler(bed.parts);
  const codec = handler.contracts.get(version);
  if (codec === undefined) throw new Error(`version ${version} is not read`);
  fence += 1n;
  const { job } = testJob(codec.decode(payload), { namespace: asked.namespace ?? 'team', fence });
  try {
    const result = codec.encode?.(await handler.run(job)) ?? new Uint8Array();
    return version === 1 ? ResultV1.decode(result) : ImportResult.decode(result);
  } catch (error) {
    return { fault: error instanceof Error && 'reason' in error ? error.reason : error };
  }
}

const booksOf = async (namespace: string, importId: string): Promise<unknown> => ({
  stock: await bed.ledger.quantities(namespace),
  moves: await bed.ledger.ledger.moves({ namespace, importId }, { limit: 1000 }),
  errors: await bed.ledger.ledger.rowErrors({ namespace, importId }, { limit: 100 }),
  imbalance: await bed.ledger.ledger.imbalance(namespace),
});

describe('V5: one model, whatever version a job comes in', () => {
  test.each(['csv-good.csv', 'csv-quantities-signed.csv', 'csv-duplicate-sku-rows.csv', 'csv-negative-result.csv', 'csv-quantities-bad.csv', 'csv-10k-rows.csv', 'csv-ragged-short.csv'])('%s comes to the same stock, moves, faults and result by both', async (file) => {
    const namespaces = [1, 2].map((version) => `v${version}-${file.replace(/\W/g, '-')}`);
    const results = [];
    for (const [at, namespace] of namespaces.entries()) {
      await bed.ledger.ship('base', 1n, [{ line: 2, sku: 'Q2', quantity: 10 }], namespace);
      results.push(await runAs(at === 0 ? 1 : 2, 'same', manifestFile(file), { namespace }));
    }
    const [v1, v2] = results;
    if (typeof v1 === 'object' && v1 !== null && 'rows' in v1) expect(v2).toMatchObject({ ...v1, applyTime: expect.any(Date), rejectedRows: 0n, warehouses: 1n });
    else expect(v2).toEqual(v1);
    expect(await booksOf(namespaces[1] ?? '', 'same')).toEqual(await booksOf(namespaces[0] ?? '', 'same'));
  });

  test('a result of one version is answered in the other: the run that found it applied need not be of the version that applied it', async () => {
    const asked = { namespace: 'both' };
    const v2 = await runAs(2, 'again', 'sku,quantity\nA,5\nA,-1\n', asked);
    const v1 = await runAs(1, 'again', 'sku,quantity\nA,5\nA,-1\n', asked);
    expect(v2).toEqual({ ...(typeof v1 === 'object' ? v1 : {}), rejectedRows: 0n, warehouses: 1n });
    expect(await bed.ledger.quantities('both')).toEqual({ A: 4n });
  });

  test('a job of version 1 for a batch that was submitted in part applies nothing', async () => {
    const asked = { namespace: 'other', mode: 'partial' as const };
    expect(await runAs(1, 'p', 'sku,quantity\nA,5\nB,x\n', asked)).toEqual({ fault: 'INTERNAL' });
    expect(await bed.ledger.quantities('other')).toEqual({});
    expect(await runAs(2, 'p', 'sku,quantity\nA,5\nB,x\n', asked)).toMatchObject({ rows: 2n, rejectedRows: 1n });
  });
});

describe('what version 2 alone can say', () => {
  const file = 'warehouse,sku,operation,quantity\nnorth,A,receive,5\n,A,,2\nnorth,A,set,3\nsouth,B,adjust,-1\nnorth,C,add,1\né,C,,1\n';

  test('a file of warehouses is refused for a word that is none, and applied where its good rows are asked for', async () => {
    expect(await runAs(2, 'whole', file, { namespace: 'wh', layout: 'warehouses' })).toEqual({ fault: 'OPERATION' });
    expect(await bed.ledger.quantities('wh')).toEqual({});
    const applied = await runAs(2, 'part', file, { namespace: 'wh', layout: 'warehouses', mode: 'partial' });
    expect(applied).toMatchObject({ rows: 6n, zeroRows: 0n, skus: 1n, duplicateRows: 1n, unitsIn: 5n, unitsOut: 0n, rejectedRows: 3n, warehouses: 2n });
    expect((await bed.ledger.ledger.stock('wh', ['A'], 'north')).items).toMatchObject([{ quantity: 3n }]);
    expect(await bed.ledger.quantities('wh')).toEqual({ A: 2n });
    const errors = await bed.ledger.ledger.rowErrors({ namespace: 'wh', importId: 'part' }, { limit: 10 });
    expect(errors.map(({ line, code }) => `${line} ${code}`)).toEqual(['5 NEGATIVE_STOCK', '6 OPERATION', '7 WAREHOUSE']);
  });

  test.each([
    ['a quote that is left open', 'sku,quantity\nA,1\nB,"2', 'QUOTING'],
    ['no good row', 'sku,quantity\nA,x\n,1\n', 'QUANTITY'],
    ['rows that stock cannot take', 'sku,quantity\nA,x\nB,-1\n', 'QUANTITY'],
    ['rows that stock alone cannot take', 'sku,quantity\nB,-1\n', 'NEGATIVE_STOCK'],
  ])('a PARTIAL batch of %s is refused, and its faults are kept', async (name, content, reason) => {
    const namespace = `p-${name.length}`;
    expect(await runAs(2, 'p', content, { namespace, mode: 'partial' })).toEqual({ fault: reason });
    expect(await bed.ledger.ledger.find({ namespace, importId: 'p' })).toMatchObject({ state: 'rejected', rejection: { reason } });
    expect((await bed.ledger.ledger.rowErrors({ namespace, importId: 'p' }, { limit: 10 }))[0]).toMatchObject({ code: reason });
    expect(await bed.ledger.quantities(namespace)).toEqual({});
  });
});

const warehouse = fc.constantFrom('', 'n', 's');
const sku = fc.constantFrom('A', 'B');
const row = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(warehouse, sku, fc.constantFrom('receive', 'set'), fc.nat(9).map(String)) },
  { weight: 4, arbitrary: fc.tuple(warehouse, sku, fc.constantFrom('adjust', ''), fc.integer({ min: -9, max: 9 }).map(String)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('-', 'n'), fc.constantFrom('A', ''), fc.constantFrom('add', 'set'), fc.constantFrom('x', '-1', '2')) },
);
const shipment = fc.record({ partial: fc.boolean(), rows: fc.array(row, { minLength: 1, maxLength: 8 }) });

/** The ledger by the words of imports.proto, a map of quantities. Answers whether anything was applied. */
function applyTo(stock: Map<string, number>, { partial, rows }: { partial: boolean; rows: readonly (readonly [string, string, string, string])[] }): boolean {
  const next = new Map(stock);
  const touched = new Map<string, number>();
  let bad = 0;
  for (const [where, what, how, quantity] of rows) {
    const good = where !== '-' && what !== '' && how !== 'add' && quantity !== 'x' && (Number(quantity) >= 0 || how === 'adjust' || how === '');
    if (!good) {
      bad += 1;
      continue;
    }
    const key = `${where}/${what}`;
    touched.set(key, (touched.get(key) ?? 0) + 1);
    next.set(key, (how === 'set' ? 0 : (next.get(key) ?? 0)) + Number(quantity));
  }
  const negative = [...touched.keys()].filter((key) => (next.get(key) ?? 0) < 0);
  if (partial ? touched.size === negative.length : bad + negative.length > 0) return false;
  for (const key of touched.keys()) if (!negative.includes(key)) stock.set(key, next.get(key) ?? 0);
  return true;
}

test('shipments of warehouses, operations and both modes come to what a map of quantities says, whatever is repeated', async () => {
  let worlds = 0;
  await fc.assert(fc.asyncProperty(fc.array(shipment, { minLength: 1, maxLength: 5 }), async (shipments) => {
    const namespace = `map-${worlds += 1}`;
    const stock = new Map<string, number>();
    for (const [at, one] of shipments.entries()) {
      const content = `warehouse,sku,operation,quantity\n${one.rows.map((fields) => fields.join(',')).join('\n')}\n`;
      const asked = { namespace, layout: 'warehouses' as const, mode: one.partial ? 'partial' as const : 'atomic' as const };
      const before = new Map(stock);
      const applied = applyTo(stock, one);
      const answer = await runAs(2, `s-${at}`, content, asked);
      expect([JSON.stringify(one), typeof answer === 'object' && answer !== null && !('fault' in answer)]).toEqual([JSON.stringify(one), applied]);
      if (!applied) continue;
      const result = ImportResult.fromPartial(Object(answer));
      const change = [...stock].reduce((sum, [key, quantity]) => sum + quantity - (before.get(key) ?? 0), 0);
      expect([result.rows, result.unitsIn - result.unitsOut]).toEqual([BigInt(one.rows.length), BigInt(change)]);
      expect(await runAs(2, `s-${at}`, content, asked)).toEqual(answer);
    }
    const found = new Map<string, number>();
    for (const where of ['', 'n', 's']) for (const { sku: what, quantity } of (await bed.ledger.ledger.listStock(namespace, { warehouse: where, limit: 100 })).items) found.set(`${where}/${what}`, Number(quantity));
    // A SKU that only ever came to 0 may stand in stock or not.
    const withoutZeros = (all: Map<string, number>) => Object.fromEntries([...all].filter(([, quantity]) => quantity !== 0));
    expect(withoutZeros(found)).toEqual(withoutZeros(stock));
    expect(await bed.ledger.ledger.imbalance(namespace)).toEqual([]);
  }), { numRuns: Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 20) });
}, 300_000);

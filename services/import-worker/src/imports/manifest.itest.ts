import { expectations, manifestFile } from '@leasehold/shipment-csv/testing';
import { testJob } from '@leasehold/worker-runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShipmentBed, type ShipmentBed } from '../testing/shipment-bed.js';
import { importHandler } from './import-handler.js';

// The reader's own suite holds what is read of each file; here each goes all the way into a real ledger, or to its journal of refusals.
let bed: ShipmentBed;
let fence = 100n;
beforeAll(async () => {
  bed = await openShipmentBed();
});
afterAll(() => bed.close());

const idOf = (file: string): string => file.replace(/\.csv$/, '');
const run = async (file: string, charset?: 'windows-1251'): Promise<unknown> => {
  const { order } = await bed.submit(idOf(file), manifestFile(file), charset === undefined ? {} : { charset });
  return importHandler(bed.parts).run(testJob(order, { fence: (fence += 1n) }).job).then((result) => result, (error: unknown) => error);
};

/** What a file's first rows come to, in the words of its expectation: `line sku quantity`. */
function sums(rows: readonly string[]): Map<string, bigint> {
  const all = new Map<string, bigint>();
  for (const row of rows) {
    const [, sku = '', quantity = ''] = row.split(' ');
    all.set(sku, (all.get(sku) ?? 0n) + BigInt(quantity));
  }
  return all;
}
const stockNow = async (): Promise<Map<string, bigint>> => new Map(Object.entries(await bed.ledger.quantities('team')));
const differenceOf = (after: Map<string, bigint>, before: Map<string, bigint>): Map<string, bigint> =>
  new Map([...after].map(([sku, quantity]) => [sku, quantity - (before.get(sku) ?? 0n)] as const).filter(([, change]) => change !== 0n));
const changing = (expected: Map<string, bigint>): Map<string, bigint> => new Map([...expected].filter(([, change]) => change !== 0n));

const accepted = [...expectations].flatMap(([file, expected]) => ('rows' in expected && file !== 'csv-negative-result.csv' && file !== 'csv-10k-rows.csv' ? [{ file, rows: expected.rows }] : []));
const refused = [...expectations].flatMap(([file, expected]) => ('faults' in expected ? [{ file, faults: expected.faults }] : []));

describe('every file of the manifest that is a shipment', () => {
  test.each(accepted)('$file is applied, once however often it runs', async ({ file, rows }) => {
    // Something to take from: one of them takes 3 of what it does not bring.
    if (file === 'csv-quantities-signed.csv') await bed.ledger.ship('some-q2', 1n, [{ line: 2, sku: 'Q2', quantity: 10 }], 'team');
    const before = await stockNow();
    const result = await run(file);
    expect(result).toMatchObject({ rows: BigInt(rows.length), skus: BigInt(sums(rows).size) });
    expect(differenceOf(await stockNow(), before)).toEqual(changing(sums(rows)));
    expect(await run(file)).toEqual(result);
    expect(differenceOf(await stockNow(), before)).toEqual(changing(sums(rows)));
  });

  test('csv-10k-rows.csv is applied whole', async () => {
    expect(await run('csv-10k-rows.csv')).toMatchObject({ rows: 10_000n, skus: 10_000n, unitsIn: 49_996n, unitsOut: 0n });
  });
});

describe('every file of the manifest that is none', () => {
  test.each(refused)('$file is refused on its first run, with code and line, and nothing of it is applied', async ({ file, faults }) => {
    const before = await stockNow();
    expect(await run(file)).toMatchObject({ reason: faults[0]?.split(' ')[0], faultClass: 'content' });
    const kept = await bed.ledger.ledger.rowErrors({ namespace: 'team', importId: idOf(file) }, { limit: 100 });
    expect(kept.map(({ code, line, column }) => `${code} ${line} ${column}`.trim())).toEqual(faults);
    expect(await stockNow()).toEqual(before);
  });

  test('csv-negative-result.csv is refused by the stock, whole', async () => {
    const before = await stockNow();
    expect(await run('csv-negative-result.csv')).toMatchObject({ reason: 'NEGATIVE_STOCK', faultClass: 'content' });
    expect(await bed.ledger.ledger.rowErrors({ namespace: 'team', importId: 'csv-negative-result' }, { limit: 100 })).toMatchObject([{ code: 'NEGATIVE_STOCK', line: 2 }]);
    expect(await stockNow()).toEqual(before);
  });
});

test('a file in a code page is applied once the code page is declared', async () => {
  const before = await stockNow();
  expect(await run('csv-windows-1251.csv', 'windows-1251')).toMatchObject({ rows: 1n });
  expect(differenceOf(await stockNow(), before)).toEqual(new Map([['SKU-001', 5n]]));
});

test('in the end the moves come to the stock', async () => {
  expect(await bed.ledger.imbalance('team')).toEqual([]);
});

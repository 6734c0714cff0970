import { expect, test } from 'vitest';
import { changed, sampleShipment } from './sample-shipment.js';

const rowsOf = (csv: Buffer): string[][] => csv.toString('utf8').trimEnd().split('\r\n').slice(1).map((line) => line.split(','));

test('the sample gains what it says, for every SKU, though some rows take away', () => {
  const { csv, rows, gains } = sampleShipment(12_000);
  const read = rowsOf(csv);
  const sums = new Map<string, bigint>();
  for (const [sku = '', quantity = ''] of read) sums.set(sku, (sums.get(sku) ?? 0n) + BigInt(quantity));
  expect(read).toHaveLength(rows);
  expect(sums).toEqual(gains);
  expect([...gains.values()].every((gain) => gain > 0n)).toBe(true);
  expect(read.some(([, quantity]) => Number(quantity) < 0)).toBe(true);
});

test('the sample is the same at each run, and the changed one differs in one quantity', () => {
  const shipment = sampleShipment(12_000);
  expect(sampleShipment(12_000).csv.equals(shipment.csv)).toBe(true);
  const [before, after] = [rowsOf(shipment.csv), rowsOf(changed(shipment))];
  expect(after).toHaveLength(before.length);
  expect(after.flatMap((row, index) => (row.join() === before[index]?.join() ? [] : [index]))).toEqual([0]);
});

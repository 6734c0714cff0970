import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { charsets } from './shipment.js';
import { expectations } from './testing/manifest-expectations.fixture.js';
import { asCopyText, copyAll, readAll, verdicts } from './testing/reading.fixture.js';

const testdata = new URL('../testdata/', import.meta.url);
const manifest = readFileSync(new URL('manifest.tsv', testdata), 'utf8').trim().split('\n').map((line) => {
  const [file = '', what = '', expected = ''] = line.split('\t');
  return { file, what, expected };
});
const input = (file: string): Buffer => readFileSync(new URL(file, testdata));

describe('every file of the manifest is read as its row says', () => {
  it('none is missing, here or there', () => {
    const files = readdirSync(testdata).filter((name) => name.endsWith('.csv')).toSorted();
    expect(manifest.map(({ file }) => file).toSorted()).toEqual(files);
    expect([...expectations.keys()].toSorted()).toEqual(files);
  });

  it.each(manifest)('$file: $what', async ({ file, expected }) => {
    const expectation = expectations.get(file);
    const reading = await readAll(input(file));
    if (expectation === undefined) throw new Error(`no expectation for ${file}`);
    if ('faults' in expectation) {
      expect(verdicts(reading)).toEqual(expectation.faults);
      // The row in the manifest names the code, so that the table cannot drift from it.
      for (const fault of expectation.faults) expect(expected).toContain(fault.split(' ')[0]);
    } else {
      expect(verdicts(reading)).toEqual([]);
      expect(reading.rows.map(({ line, sku, quantity }) => `${line} ${sku} ${quantity}`).slice(0, 6)).toEqual(expectation.rows);
      expect(reading.report.rows).toBe(reading.rows.length);
      expect((await copyAll(input(file))).text).toBe(asCopyText(reading.rows));
    }
  });

  it('ten thousand rows arrive, with their sum', async () => {
    const { rows, report } = await readAll(input('csv-10k-rows.csv'));
    expect([report.rows, rows.reduce((sum, { quantity }) => sum + quantity, 0)]).toEqual([10_000, 49_996]);
  });

  it('a repeated SKU stays two rows, for the ledger to sum; a large minus is a row, for the ledger to refuse', async () => {
    expect((await readAll(input('csv-duplicate-sku-rows.csv'))).rows).toHaveLength(3);
    expect((await readAll(input('csv-negative-result.csv'))).rows).toEqual([{ line: 2, sku: 'SKU-LOW', quantity: -999_999 }]);
  });

  it('all bad quantities are listed', async () => {
    expect((await readAll(input('csv-quantities-bad.csv'))).report.faultCount).toBe(9);
  });

  it('a declared code page is read by it, and by no other name', async () => {
    expect((await readAll(input('csv-windows-1251.csv'), { charset: 'windows-1251' })).rows).toEqual([{ line: 2, sku: 'SKU-001', quantity: 5 }]);
    expect((await readAll(input('csv-windows-1252-smart.csv'), { charset: 'windows-1252' })).rows).toEqual([{ line: 2, sku: 'SKU-001', quantity: 5 }]);
  });

  it('no file of the manifest makes any charset throw', async () => {
    for (const { file } of manifest.filter(({ file: name }) => !/10k|1200k/.test(name))) {
      for (const charset of charsets) expect((await readAll(input(file), { charset })).report.charset).toBe(charset);
    }
  });
});

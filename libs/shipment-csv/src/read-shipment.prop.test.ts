import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asCopyText, copyAll, readAll, verdicts } from './testing/reading.fixture.js';
import { chunked, shipmentFile } from './testing/shipment-file.arbitrary.fixture.js';

const cuts = fc.array(fc.nat({ max: 2000 }), { maxLength: 6 });
const blockBytes = fc.constantFrom(4, 5, 7, 16, 61, 64 * 1024);

const numRuns = Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 100);

describe('a good file, whatever its form', () => {
  it('gives exactly its rows, however it was cut, by both ways of reading', async () => {
    await fc.assert(fc.asyncProperty(shipmentFile, cuts, blockBytes, fc.constantFrom(0, 20, 1024, Infinity), async (file, at, block, plainAheadBytes) => {
      const options = { charset: file.charset, blockBytes: block, plainAheadBytes };
      const { rows, report } = await readAll(chunked(file.bytes, at), options);
      expect(verdicts({ report })).toEqual([]);
      expect(rows).toEqual(file.rows);
      expect(report).toMatchObject({ rows: file.rows.length, zeroRows: file.zeroRows, bytes: file.bytes.length, separator: file.separator, ignoredColumns: ['note; of, it'] });
      expect(await copyAll(chunked(file.bytes, at), options)).toEqual({ text: asCopyText(file.rows), report });
    }), { numRuns });
  });

  it('gives the same rows in partial mode as in the other', async () => {
    await fc.assert(fc.asyncProperty(shipmentFile, async (file) => {
      expect(await readAll(file.bytes, { charset: file.charset, partial: true })).toEqual(await readAll(file.bytes, { charset: file.charset }));
    }), { numRuns: numRuns / 4 });
  });
});

const field = fc.constantFrom('', 'north', 'S-1', 'A', 'receive', 'adjust', 'set', 'add', '5', '0', '-3', 'x', '"q"', ' ');
const dirtyRow = fc.array(field, { minLength: 3, maxLength: 5 });

describe('a file of warehouses with bad rows', () => {
  it('hands out in partial mode exactly the rows that are good each by itself, by both ways of reading and however it was cut', async () => {
    await fc.assert(fc.asyncProperty(fc.array(dirtyRow, { minLength: 1, maxLength: 12 }), blockBytes, async (rows, block) => {
      const header = 'warehouse,sku,operation,quantity\n';
      const lines = rows.map((fields) => fields.join(','));
      const text = header + lines.join('\n') + '\n';
      const alone = await Promise.all(lines.map((line) => readAll(`${header}${line}\n`, { layout: 'warehouses' })));
      const expected = alone.flatMap((one, index) => one.rows.map((row) => ({ ...row, line: index + 2 })));
      for (const plainAheadBytes of [0, Infinity]) {
        const { rows: handedOut, report } = await readAll(text, { layout: 'warehouses', partial: true, blockBytes: block, plainAheadBytes });
        expect(handedOut).toEqual(expected);
        expect(report.rows - report.rejectedRows).toBe(expected.length);
        expect(report.faultCount).toBe(alone.reduce((sum, one) => sum + one.report.faults.filter(({ code }) => code !== 'EMPTY').length, expected.length + report.rejectedRows === 0 ? 1 : 0));
      }
    }), { numRuns });
  });
});

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
});

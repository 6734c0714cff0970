import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits, type ShipmentLimits } from './shipment-limits.js';
import { readAll, type Reading } from './testing/reading.fixture.js';
import { chunked, shipmentFile } from './testing/shipment-file.arbitrary.fixture.js';

const codes = ['EMPTY', 'ENCODING', 'HEADER', 'QUOTING', 'RAGGED', 'QUANTITY', 'SKU', 'LIMIT'];
const nasty = fc.constantFrom('"', '""', '"x', ',', ';', '\t', '|', '\n', '\r', '\r\n', '\0', '\u001a', '\ufffd', '\ufeff', ' ', '\u00a0', '\u200b', '9', '-', 'x').map((text) => Buffer.from(text));
const bytes = fc.oneof({ weight: 6, arbitrary: nasty }, { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) });
const damage = fc.record({ at: fc.nat({ max: 5000 }), remove: fc.nat({ max: 4 }), insert: bytes });
const limits: fc.Arbitrary<ShipmentLimits> = fc.oneof(
  fc.constant(defaultLimits),
  fc.record({ maxBytes: fc.integer({ min: 1, max: 400 }), maxRows: fc.integer({ min: 1, max: 8 }), maxColumns: fc.integer({ min: 2, max: 6 }), maxFieldBytes: fc.integer({ min: 4, max: 24 }), maxFaults: fc.integer({ min: 1, max: 4 }) }),
);
const small = fc.record({ maxFieldBytes: fc.constantFrom(4, 5, 6) }).map((some) => ({ ...defaultLimits, ...some }));

/** What may not differ: everything but the rows that a faulty file hands out before its fault. */
const verdict = ({ rows, report }: Reading): unknown => ({ report: { ...report, bytes: 0 }, rows: report.faultCount === 0 ? rows : [] });

const numRuns = Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 100);

describe('a damaged file', () => {
  it('is read alike by the fast way and by the parser, however it is cut; faults are of the closed list, and no row comes after one', async () => {
    await fc.assert(fc.asyncProperty(shipmentFile, fc.array(damage, { minLength: 1, maxLength: 4 }), fc.oneof(limits, small), fc.array(fc.nat({ max: 2000 }), { maxLength: 4 }), fc.constantFrom(4, 5, 7, 16, 61), async (file, damages, some, at, blockBytes) => {
      let damaged = file.bytes;
      for (const { at: where, remove, insert } of damages) {
        const position = where % (damaged.length + 1);
        damaged = Buffer.concat([damaged.subarray(0, position), insert, damaged.subarray(position + remove)]);
      }
      const options = { charset: file.charset, limits: some };
      // The whole file in one block, and the parser for all of it: nothing of the cutting and the fast way is in this reading.
      const reference = await readAll(damaged, { ...options, blockBytes: 1 << 16, plainAheadBytes: Infinity });
      const readings = [
        await readAll(damaged, { ...options, blockBytes: 1 << 16, plainAheadBytes: 0 }),
        await readAll(damaged, { ...options, blockBytes: 1 << 16, plainAheadBytes: 20 }),
        await readAll(chunked(damaged, at), { ...options, blockBytes, plainAheadBytes: 0 }),
        await readAll(chunked(damaged, at), { ...options, blockBytes, plainAheadBytes: Infinity }),
      ];
      for (const reading of readings) {
        expect(verdict(reading)).toEqual(verdict(reference));
        const [first] = reading.report.faults;
        for (const fault of reading.report.faults) expect(codes).toContain(fault.code);
        if (first !== undefined) for (const row of reading.rows) expect(row.line).toBeLessThan(first.line + (first.column === '' ? 0 : 1));
        expect(reading.report.faults.length).toBe(Math.min(reading.report.faultCount, some.maxFaults));
        expect(reading.report.bytes).toBeLessThanOrEqual(Math.min(damaged.length, some.maxBytes));
      }
    }), { numRuns: 2 * numRuns });
  });

  it('of any bytes at all is refused or read, never thrown at the caller', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(4, 13), async (junk, blockBytes) => {
      const { report } = await readAll(junk, { blockBytes });
      expect(report.faultCount).toBeGreaterThan(0);
    }), { numRuns });
  });
});

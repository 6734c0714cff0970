import { describe, expect, it } from 'vitest';
import { readShipment } from './read-shipment.js';
import { defaultLimits as limits } from './shipment-limits.js';

const rows = 500_000;

/** A file that is never whole anywhere: 500,000 rows, made as they are asked for. */
async function* longFile(row: (index: number) => string): AsyncGenerator<Buffer> {
  yield Buffer.from('sku,quantity,note\n');
  for (let from = 0; from < rows; from += 1000) yield Buffer.from(Array.from({ length: 1000 }, (_, index) => row(from + index)).join(''));
}

describe('a long file', () => {
  it.each([
    ['plain rows', (index: number) => `SKU-${index % 100_000},${(index % 9) + 1},a note of some length\n`],
    ['quoted rows', (index: number) => `"SKU-${index % 100_000}","${(index % 9) + 1}","a note, of\nsome length"\n`],
  ])('of %s takes no more memory at its end than early on', async (_, row) => {
    const shipment = readShipment(longFile(row), { limits });
    let taken = 0;
    let early = 0;
    let highest = 0;
    for await (const batch of shipment.rows) {
      taken += batch.length;
      const { rss } = process.memoryUsage();
      if (taken < rows / 5) early = Math.max(early, rss);
      else highest = Math.max(highest, rss);
    }
    expect(shipment.report()).toMatchObject({ rows, faultCount: 0 });
    expect(taken).toBe(rows);
    expect(highest - early).toBeLessThan(64 * 1024 * 1024);
  });

  it('that is one open quote keeps no more than a row may have', async () => {
    let sent = 0;
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from('sku,quantity,note\nA,1,"open\n');
      for (; sent < 200; sent += 1) yield Buffer.alloc(1024 * 1024, 'B,1,x\n');
    }
    const before = process.memoryUsage().rss;
    const shipment = readShipment(body(), { limits });
    for await (const _ of shipment.rows);
    expect(shipment.report().faults).toMatchObject([{ code: 'QUOTING', line: 2, column: 'note' }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024);
  });
});

import { describe, expect, it } from 'vitest';
import { readShipment } from './read-shipment.js';
import { defaultLimits as limits } from './shipment-limits.js';
import { bodyOf, copyAll } from './testing/reading.fixture.js';

async function drain(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

describe('one reading', () => {
  it('reads nothing before it is asked, and no more than a block ahead of who takes the rows', async () => {
    const row = Buffer.from('SKU-1,1\n'.repeat(8192));
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('sku,quantity\n');
      for (;;) {
        given += row.length;
        yield row;
      }
    }
    const rows = readShipment(endless(), { limits }).rows[Symbol.asyncIterator]();
    expect(given).toBe(0);
    for (let batch = 1; batch <= 20; batch += 1) {
      expect((await rows.next()).value?.length).toBeGreaterThan(0);
      expect(given).toBeLessThanOrEqual((batch + 1) * row.length);
    }
    await rows.return?.();
  });

  it('lets go of the body when the caller stops', async () => {
    let released = false;
    async function* body(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.from('sku,quantity\nA,1\n'.padEnd(70_000, 'A,1\n'));
      } finally {
        released = true;
      }
    }
    for await (const _ of readShipment(body(), { limits }).rows) break;
    expect(released).toBe(true);
  });

  it('stops at a fault that ends it, without reading the rest of the body', async () => {
    let given = 0;
    async function* body(): AsyncGenerator<Buffer> {
      for (;;) {
        given += 1;
        yield Buffer.from('no header here\n'.repeat(10_000));
      }
    }
    const shipment = readShipment(body(), { limits });
    await drain(shipment.rows);
    expect(shipment.report().faults[0]?.code).toBe('HEADER');
    expect(given).toBe(1);
  });

  it('throws the reason of its signal, and what the body throws', async () => {
    const gone = new Error('lease lost');
    const shipment = readShipment(bodyOf('sku,quantity\nA,1\n'), { limits, signal: AbortSignal.abort(gone) });
    await expect(drain(shipment.copyText)).rejects.toBe(gone);
    expect(() => shipment.report()).toThrow('not been read to its end');
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('sku,quantity\n');
      throw gone;
    }
    await expect(drain(readShipment(broken(), { limits }).rows)).rejects.toBe(gone);
  });

  it('is taken once', async () => {
    const shipment = readShipment(bodyOf('sku,quantity\nA,1\n'), { limits });
    await drain(shipment.rows);
    await expect(drain(shipment.copyText)).rejects.toThrow('read once');
    expect(shipment.report().rows).toBe(1);
  });

  it('tells how far it is, up to all of it', async () => {
    const file = Buffer.from(`sku,quantity\n${'A,1\n'.repeat(50_000)}`);
    const seen: { rows: number; bytes: number }[] = [];
    await drain(readShipment(bodyOf(file), { limits, onProgress: (progress) => seen.push(progress) }).copyText);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).toSorted((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ rows: 50_000, bytes: file.length });
  });

  it('writes COPY text: backslashes doubled, numbers canonical', async () => {
    const { text } = await copyAll('sku,quantity\n\\N,+007\n\\.,-0\na\\tb,-2147483648\nЖ,2147483647\n');
    expect(text).toBe('2\t\\\\N\t7\n3\t\\\\.\t0\n4\ta\\\\tb\t-2147483648\n5\tЖ\t2147483647\n');
  });
});

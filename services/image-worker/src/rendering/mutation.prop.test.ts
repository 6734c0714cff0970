import fc from 'fast-check';
import type { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultClassOf, PhotoFault, type Reason } from '../reasons.js';
import { outlineOf, type LengthField, type Outline } from '../testing/container-outline.js';
import { first, onePhoto } from '../testing/orders.js';
import { pixelsOf } from '../testing/pixels.js';
import { testPool } from '../testing/picture-pool.js';
import { soundPictures } from '../testing/sound-pictures.js';
import { defaultLimits as limits } from './limits.js';
import type { PicturePool } from './pool/picture-pool.js';

// Every picture that damage can make of a sound one is made or refused for a content reason, by a child that goes on: a damaged file spends one attempt,
// and never more than that. LEASEHOLD_PROPERTY_RUNS raises how many are tried a property; a failure prints its seed.
const numRuns = Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 15);
const order = onePhoto({ maxWidth: 20, maxHeight: 20, effort: 0 });
let pool: PicturePool;
let registry: Registry;
beforeAll(async () => {
  ({ pool, registry } = testPool());
  await pool.start();
});
afterAll(async () => {
  const replaced = await registry.getSingleMetricAsString('leasehold_image_children_replaced_total');
  await pool.stop();
  expect(replaced, 'children were lost').not.toMatch(/cause=/);
});

type Outcome = { readonly made: Buffer } | { readonly refused: Reason };

async function outcome(bytes: Buffer): Promise<Outcome> {
  try {
    return { made: first(await pool.make(bytes, { order, limits, signal: new AbortController().signal })).bytes };
  } catch (error) {
    if (error instanceof PhotoFault) return { refused: error.reason };
    throw error;
  }
}

/** Content reasons are final: one attempt. */
async function madeOrAtFault(bytes: Buffer): Promise<Outcome> {
  const result = await outcome(bytes);
  if ('refused' in result) expect(faultClassOf[result.refused], result.refused).toBe('content');
  return result;
}

describe.each(soundPictures)('of a sound $name', ({ format, make }) => {
  let whole: Buffer;
  let outline: Outline;
  beforeAll(async () => {
    whole = await make();
    outline = outlineOf(format, whole);
    expect(await outcome(whole)).toHaveProperty('made');
  });

  test('the beginning alone is refused wherever a part of the container ends, and a byte beside it', async () => {
    const cuts = new Set(outline.boundaries.flatMap((at) => [at - 1, at, at + 1]).filter((at) => at >= 0 && at < whole.length));
    for (const cut of cuts) {
      expect(Object.keys(await madeOrAtFault(whole.subarray(0, cut))), `cut at ${cut} of ${whole.length}`).toEqual(['refused']);
    }
  });

  test('any beginning alone is refused', async () => {
    await fc.assert(fc.asyncProperty(fc.nat(whole.length - 1), async (cut) => {
      return 'refused' in (await madeOrAtFault(whole.subarray(0, cut)));
    }), { numRuns });
  });

  test('any byte of the header set to anything is made or refused', async () => {
    await fc.assert(fc.asyncProperty(fc.nat(outline.headerBytes - 1), fc.nat(255), async (at, value) => {
      const damaged = Buffer.from(whole);
      damaged[at] = value;
      await madeOrAtFault(damaged);
    }), { numRuns });
  });

  test('any length that lies is made or refused', async () => {
    const lies = fc.tuple(fc.constantFrom(...outline.lengths), fc.oneof(fc.constantFrom(0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1), fc.nat(), fc.integer({ min: -4, max: 4 }).map((by) => ({ by }))));
    await fc.assert(fc.asyncProperty(lies, async ([field, lie]) => {
      await madeOrAtFault(withLength(whole, field, lie));
    }), { numRuns });
  });

  test('any part overwritten, left out or doubled is made or refused', async () => {
    const parts = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 64 }), fc.uint8Array({ maxLength: 64 }));
    await fc.assert(fc.asyncProperty(parts, async ([at, length, instead]) => {
      await madeOrAtFault(Buffer.concat([whole.subarray(0, at), instead, whole.subarray(at + length)]));
    }), { numRuns });
  });
});

test('no bit of a PNG\'s pixels can flip unnoticed', async () => {
  const [whole] = await Promise.all(soundPictures.filter(({ name }) => name === 'interlaced png').map(({ make }) => make()));
  if (whole === undefined) throw new Error('no picture');
  const { boundaries } = outlineOf('png', whole);
  const from = whole.indexOf('IDAT');
  const to = boundaries.find((at) => at > from + 8) ?? whole.length;
  await fc.assert(fc.asyncProperty(fc.integer({ min: from, max: to + 3 }), fc.nat(7), async (at, bit) => {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
    return 'refused' in (await madeOrAtFault(damaged));
  }), { numRuns: numRuns * 2 });
});

test('what was made of a damaged picture can be shown', async () => {
  const jpegs = await Promise.all(soundPictures.filter(({ format }) => format === 'jpeg').map(({ make }) => make()));
  await fc.assert(fc.asyncProperty(fc.constantFrom(...jpegs), fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255), async (jpeg, place, value) => {
    const damaged = Buffer.from(jpeg);
    damaged[Math.floor(place * jpeg.length)] = value;
    const result = await madeOrAtFault(damaged);
    if ('made' in result) expect((await pixelsOf(result.made)).width).toBeGreaterThan(0);
  }), { numRuns });
});

function withLength(whole: Buffer, { at, bytes, order }: LengthField, lie: number | { readonly by: number }): Buffer {
  const damaged = Buffer.from(whole);
  const truth = order === 'big' ? damaged.readUIntBE(at, bytes) : damaged.readUIntLE(at, bytes);
  const value = (typeof lie === 'number' ? lie : Math.max(0, truth + lie.by)) % 2 ** (8 * bytes);
  if (order === 'big') damaged.writeUIntBE(value, at, bytes);
  else damaged.writeUIntLE(value, at, bytes);
  return damaged;
}

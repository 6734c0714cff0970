import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFile } from '../testing/manifest.js';
import { first, onePhoto, orderOf, webp } from '../testing/orders.js';
import { distance, pixelsOf, type Pixel } from '../testing/pixels.js';
import { plain } from '../testing/sample-pictures.js';
import { defaultLimits } from './limits.js';
import { makePhotoHere } from './photo-making.js';
import type { PictureOrder } from './picture-order.js';

// What WebP at quality 80 does to frames of one colour.
const TOLERANCE = 8;
const colours = [[220, 20, 20], [20, 180, 20], [20, 20, 220]] as const;
const animated = async (as: 'gif' | 'webp'): Promise<Buffer> => {
  const frames = await Promise.all(colours.map((colour) => plain(40, 30, colour).png().toBuffer()));
  const joined = sharp(frames, { join: { animated: true } });
  const shown = { delay: [100, 250, 700], loop: 3 };
  return as === 'gif' ? joined.gif(shown).toBuffer() : joined.webp({ ...shown, lossless: true }).toBuffer();
};
const make = (bytes: Buffer, order: PictureOrder, limits = defaultLimits) => makePhotoHere(bytes, { order, limits });
const failure = (run: Promise<unknown>): Promise<unknown> => run.then(() => 'made', (error: unknown) => error);
const keep = { animation: 'keep' } as const;

async function shows(bytes: Buffer, frame: number, colour: Pixel): Promise<void> {
  const pixels = await pixelsOf(await sharp(bytes, { page: frame }).png().toBuffer());
  expect(distance(pixels.at(Math.floor(pixels.width / 2), Math.floor(pixels.height / 2)).slice(0, 3), colour)).toBeLessThanOrEqual(TOLERANCE);
}

describe.each(['gif', 'webp'] as const)('an animated %s', (as) => {
  test.each([
    ['as it is', webp({ effort: 0 }), [40, 30]],
    ['smaller', webp({ maxWidth: 20, effort: 0 }), [20, 15]],
    ['cut to a square', webp({ maxWidth: 20, maxHeight: 20, fit: 'cover', effort: 0 }), [20, 20]],
  ] as const)('that is kept has its frames, delays and loop in WebP: %s', async (_, spec, size) => {
    const made = await make(await animated(as), orderOf([spec], keep));
    const photo = first(made);
    expect([photo.width, photo.height, photo.frames]).toEqual([...size, 3]);
    expect(await sharp(photo.bytes).metadata()).toMatchObject({ format: 'webp', width: size[0], height: size[1], pages: 3, delay: [100, 250, 700], loop: 3 });
    for (const [frame, colour] of colours.entries()) await shows(photo.bytes, frame, colour);
    expect(made.source).toEqual({ format: as, width: 40, height: 30, pages: 3 });
  });

  test('that is kept shows its first frame in what is no WebP, and in the placeholder', async () => {
    const order = orderOf([webp({ effort: 0 }), webp({ name: 'still', format: 'jpeg' }), webp({ name: 'modern', format: 'avif', effort: 0 })], { ...keep, placeholder: true });
    const { pictures, placeholder } = await make(await animated(as), order);
    expect(pictures.map(({ frames }) => frames)).toEqual([3, 1, 1]);
    for (const still of [pictures[1], pictures[2], placeholder]) {
      expect([still?.width, still?.height]).toEqual([placeholder === still ? 32 : 40, placeholder === still ? 24 : 30]);
      await shows(still?.bytes ?? Buffer.alloc(0), 0, colours[0]);
    }
  });

  test('shows its first frame by the policy FIRST_FRAME', async () => {
    const photo = first(await make(await animated(as), onePhoto()));
    expect([photo.frames, (await sharp(photo.bytes).metadata()).pages ?? 1]).toEqual([1, 1]);
    await shows(photo.bytes, 0, colours[0]);
  });

  test('is refused as FRAME_LIMIT by the policy REFUSE', async () => {
    expect(await failure(make(await animated(as), orderOf([webp()], { animation: 'refuse' })))).toMatchObject({ name: 'PhotoFault', reason: 'FRAME_LIMIT' });
  });

  test('that is kept counts with the pixels of all of its frames, before any is decoded', async () => {
    const source = await animated(as);
    const all = { ...defaultLimits, maxPixels: 40 * 30 * 3 };
    expect(first(await make(source, orderOf([webp()], keep), all)).frames).toBe(3);
    expect(await failure(make(source, orderOf([webp()], keep), { ...all, maxPixels: all.maxPixels - 1 }))).toMatchObject({ reason: 'PIXEL_LIMIT' });
    expect(first(await make(source, onePhoto(), { ...all, maxPixels: 40 * 30 })).frames).toBe(1);
  });

  test('that stops early is TRUNCATED, kept or not', async () => {
    const source = await animated(as);
    const cut = source.subarray(0, source.length - 3);
    expect(await failure(make(cut, orderOf([webp()], keep)))).toMatchObject({ reason: 'TRUNCATED' });
  });
});

test('pages are no frames: of a TIFF that is kept the first is shown, and REFUSE refuses it', async () => {
  const source = testFile('img-tiff-2pages.tif');
  expect(first(await make(source, orderOf([webp()], keep))).frames).toBe(1);
  expect(await failure(make(source, orderOf([webp()], { animation: 'refuse' })))).toMatchObject({ reason: 'FRAME_LIMIT' });
});

test('a still is a still by every policy', async () => {
  for (const animation of ['first-frame', 'keep', 'refuse'] as const) expect(first(await make(testFile('img-gps.jpg'), orderOf([webp()], { animation }))).frames).toBe(1);
});

import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFile } from '../testing/manifest.js';
import { first, onePhoto, orderOf, webp } from '../testing/orders.js';
import { distance, pixelsOf, type Pixel, type Pixels } from '../testing/pixels.js';
import { noise, plain } from '../testing/sample-pictures.js';
import { defaultLimits as limits } from './limits.js';
import { makePhotoHere } from './photo-making.js';
import type { PictureOrder, RenditionFormat } from './picture-order.js';

// How far a channel of a flat area may be off the source: what the encoders do to it at the quality of these tests.
const TOLERANCE = 8;

// 120 x 80: a square of one colour in each corner, grey in between.
const corners = { topLeft: [220, 20, 20], topRight: [20, 180, 20], bottomLeft: [20, 20, 220], bottomRight: [245, 245, 245] } as const;
const square = async (colour: readonly number[]): Promise<Buffer> => plain(30, 30, colour).png().toBuffer();
const card = async (): Promise<Buffer> =>
  plain(120, 80, [120, 120, 120]).composite([
    { input: await square(corners.topLeft), left: 0, top: 0 }, { input: await square(corners.topRight), left: 90, top: 0 },
    { input: await square(corners.bottomLeft), left: 0, top: 50 }, { input: await square(corners.bottomRight), left: 90, top: 50 },
  ]).png().toBuffer();

const near = (pixels: Pixels, x: number, y: number, wanted: Pixel, most: number): void => {
  expect(distance(pixels.at(x, y).slice(0, 3), wanted), `pixel ${x},${y} is ${pixels.at(x, y).join(',')}, wanted ${wanted.join(',')}`).toBeLessThanOrEqual(most);
};
const make = (bytes: Buffer, order: PictureOrder) => makePhotoHere(bytes, { order, limits });

describe.each<RenditionFormat>(['webp', 'avif', 'jpeg'])('as %s', (format) => {
  const spec = webp({ format, maxWidth: 60, maxHeight: 60, effort: 1, quality: 90 });

  test('INSIDE shows all of the picture in its proportions', async () => {
    const photo = first(await make(await card(), orderOf([spec])));
    expect([photo.width, photo.height, photo.frames]).toEqual([60, 40, 1]);
    expect((await sharp(photo.bytes).metadata()).format).toBe(format === 'avif' ? 'heif' : format);
    const pixels = await pixelsOf(photo.bytes);
    expect([pixels.width, pixels.height]).toEqual([60, 40]);
    near(pixels, 5, 5, corners.topLeft, TOLERANCE);
    near(pixels, 54, 5, corners.topRight, TOLERANCE);
    near(pixels, 5, 34, corners.bottomLeft, TOLERANCE);
    near(pixels, 54, 34, corners.bottomRight, TOLERANCE);
  });

  test('COVER fills the box from the middle, and cuts off what reaches beyond', async () => {
    // A third of the width is cut off on each side: the squares are gone.
    const photo = first(await make(await card(), orderOf([{ ...spec, maxWidth: 20, maxHeight: 40, fit: 'cover' }])));
    expect([photo.width, photo.height]).toEqual([20, 40]);
    const pixels = await pixelsOf(photo.bytes);
    for (const [x, y] of [[2, 4], [17, 4], [2, 35], [17, 35], [10, 20]] as const) near(pixels, x, y, [120, 120, 120], TOLERANCE);
  });

  test('a picture smaller than its box is not enlarged, and covers with the proportions of the box', async () => {
    const photo = first(await make(await card(), orderOf([{ ...spec, maxWidth: 800, maxHeight: 800, fit: 'cover' }])));
    expect([photo.width, photo.height]).toEqual([80, 80]);
  });

  test('see-through parts stay so, but on JPEG they are white', async () => {
    const pixels = await pixelsOf(first(await make(testFile('img-alpha-soft-edge.png'), orderOf([spec]))).bytes);
    if (format === 'jpeg') near(pixels, 0, 0, [255, 255, 255], TOLERANCE);
    else expect(pixels.at(0, 0)[3]).toBeLessThanOrEqual(2);
    near(pixels, 20, 20, [240, 120, 0], TOLERANCE);
  });

  test('nothing but pixels is kept, and quality counts', async () => {
    const { bytes } = first(await make(testFile('img-gps.jpg'), orderOf([spec])));
    for (const trace of ['Example Person', 'SN-0001', 'http']) expect(bytes.includes(Buffer.from(trace, 'latin1')), trace).toBe(false);
    const picture = await noise(64, 64).png().toBuffer();
    const [low, high] = (await make(picture, orderOf([{ ...spec, name: 'low', quality: 10 }, { ...spec, name: 'high', quality: 95 }]))).pictures;
    expect(low?.bytes.length).toBeLessThan((high?.bytes.length ?? 0) / 2);
  });
});

test('pictures made together have the sizes of those made alone, whatever the boxes', async () => {
  const side = fc.integer({ min: 1, max: 200 });
  await fc.assert(fc.asyncProperty(side, side, fc.array(fc.tuple(side, side), { minLength: 2, maxLength: 4 }), async (width, height, boxes) => {
    const source = await plain(width, height, [9, 9, 9]).png({ compressionLevel: 1 }).toBuffer();
    const specs = boxes.map(([maxWidth, maxHeight], i) => webp({ name: `r${i}`, maxWidth, maxHeight, effort: 0 }));
    const together = (await make(source, orderOf(specs))).pictures.map((each) => [each.width, each.height]);
    const alone = await Promise.all(specs.map(async (spec) => first(await make(source, orderOf([spec])))));
    expect(together).toEqual(alone.map((each) => [each.width, each.height]));
  }), { numRuns: 25 });
});

describe('a placeholder', () => {
  test.each<[string, () => Promise<Buffer>]>([
    ['a card', card],
    ['noise', () => noise(400, 400).png().toBuffer()],
    ['see-through noise', () => noise(400, 400, 4).png().toBuffer()],
    ['a single pixel', async () => testFile('img-1x1.png')],
    ['a line', async () => testFile('img-20000x8.png')],
    ['an animation', async () => testFile('img-anim-3frames.gif')],
  ])('is a WebP of at most 1 KiB and 32 pixels a side: %s', async (_, source) => {
    const { placeholder } = await make(await source(), orderOf([webp({ effort: 0 })], { placeholder: true, animation: 'keep' }));
    const seen = await sharp(placeholder?.bytes).metadata();
    expect(seen.format).toBe('webp');
    expect(placeholder).toMatchObject({ width: seen.width, height: seen.height, frames: 1 });
    expect(Math.max(seen.width, seen.height)).toBeLessThanOrEqual(32);
    expect(placeholder?.bytes.length).toBeLessThanOrEqual(1024);
  });

  test('shows the picture: its corners within 24 of 255', async () => {
    const { placeholder } = await make(await card(), orderOf([webp()], { placeholder: true }));
    const pixels = await pixelsOf(placeholder?.bytes ?? Buffer.alloc(0));
    expect([pixels.width, pixels.height]).toEqual([32, 21]);
    near(pixels, 3, 3, corners.topLeft, 24);
    near(pixels, 28, 3, corners.topRight, 24);
    near(pixels, 3, 17, corners.bottomLeft, 24);
    near(pixels, 28, 17, corners.bottomRight, 24);
  });

  test('is made only when it was asked for', async () => {
    expect((await make(await card(), onePhoto())).placeholder).toBeUndefined();
  });
});

import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFile } from '../testing/manifest.js';
import { first, onePhoto } from '../testing/orders.js';
import { distance, pixelsOf } from '../testing/pixels.js';
import { noise, plain } from '../testing/sample-pictures.js';
import { defaultLimits } from './limits.js';
import { inspectPicture } from './picture.js';
import type { RenditionSpec } from './picture-order.js';
import { renderPictures } from './rendition.js';

const limits = defaultLimits;
const render = async (bytes: Buffer, spec: Partial<RenditionSpec> = {}) => {
  const order = onePhoto(spec);
  return first(await renderPictures(await inspectPicture(bytes, order, limits), order, limits));
};

describe('the size', () => {
  test('never grows, fits the box, keeps proportions to the pixel, and no side vanishes', async () => {
    const side = fc.integer({ min: 1, max: 400 });
    await fc.assert(fc.asyncProperty(side, side, side, side, async (width, height, maxWidth, maxHeight) => {
      const made = await render(await plain(width, height, [9, 9, 9]).png({ compressionLevel: 1 }).toBuffer(), { maxWidth, maxHeight, effort: 0 });
      const scale = Math.min(1, maxWidth / width, maxHeight / height);
      const close = (side: number, whole: number): boolean => side >= 1 && Math.abs(side - Math.max(1, whole * scale)) <= 1;
      return made.width <= Math.min(width, maxWidth) && made.height <= Math.min(height, maxHeight) && close(made.width, width) && close(made.height, height);
    }), { numRuns: 50 });
  });

  test('reaches WebP\'s own limit and not a pixel further', async () => {
    const made = await render(testFile('img-20000x8.png'), { maxWidth: 16383, maxHeight: 16383 });
    expect([made.width, made.height]).toEqual([16383, 7]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is measured upright: orientation %i fits a box that is lower than the stored picture', async (orientation) => {
    // Stored so that it is 60 wide and 40 high when upright, red on the left and blue on the right.
    const upright = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#ff0000' } })
      .composite([{ input: { create: { width: 30, height: 40, channels: 3, background: '#0000ff' } }, left: 30, top: 0 }]).png().toBuffer();
    const made = await render(await stored(upright, orientation), { maxWidth: 30, maxHeight: 320 });
    expect([made.width, made.height]).toEqual([30, 20]);
    const pixels = await pixelsOf(made.bytes);
    expect(distance(pixels.at(4, 10), [255, 0, 0])).toBeLessThanOrEqual(10);
    expect(distance(pixels.at(25, 10), [0, 0, 255])).toBeLessThanOrEqual(10);
  });
});

// What a camera stores for an upright picture when it notes the given orientation: the inverse of what a viewer does.
async function stored(upright: Buffer, orientation: number): Promise<Buffer> {
  const turn = new Map([[3, 180], [4, 180], [5, 90], [6, 270], [7, 270], [8, 90]]).get(orientation) ?? 0;
  const turned = await sharp(upright).rotate(turn).png().toBuffer();
  const mirrored = [2, 4, 5, 7].includes(orientation) ? await sharp(turned).flop().png().toBuffer() : turned;
  return sharp(mirrored).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).withMetadata({ orientation }).toBuffer();
}

describe('the encoder', () => {
  test('honours quality and effort', async () => {
    const photo = await noise(64, 64).png().toBuffer();
    const [low, high, fast, small] = await Promise.all([render(photo, { quality: 20 }), render(photo, { quality: 95 }), render(photo, { effort: 0 }), render(photo, { effort: 6 })]);
    expect(low.bytes.length).toBeLessThan(high.bytes.length / 2);
    expect(fast.bytes.equals(small.bytes)).toBe(false);
  });

  test('makes the same bytes of the same picture each time', async () => {
    const photo = testFile('img-gps.jpg');
    expect((await render(photo)).bytes.equals((await render(photo)).bytes)).toBe(true);
  });
});

describe('what else a file carries', () => {
  test.each(['img-gps.jpg', 'img-exif-orientation-6.jpg', 'img-display-p3-red.jpg', 'img-cmyk-adobe-inverted.jpg', 'img-mpo-two-pictures.jpg', 'img-trailing-zip.png'])('nothing of %s but pixels is kept', async (file) => {
    const { bytes } = await render(testFile(file));
    for (const trace of ['Example Person', 'SN-0001', 'Exif', 'EXIF', 'XMP ', 'ICCP', 'MPF', 'PK\x03\x04', 'http']) expect(bytes.includes(Buffer.from(trace, 'latin1')), trace).toBe(false);
    expect(await sharp(bytes).metadata()).not.toHaveProperty('orientation');
  });

  test('the traces looked for are in the source', () => {
    const source = testFile('img-gps.jpg');
    for (const trace of ['Example Person', 'SN-0001', 'Exif']) expect(source.includes(trace), trace).toBe(true);
  });
});

describe('colours', () => {
  const red = plain(24, 24, [255, 20, 20]);
  // A Display P3 profile whose table of tags is junk.
  const junk = Buffer.alloc(400, 0xa5);

  test.each([
    ['8 bits, sRGB profile', () => red.clone().withIccProfile('srgb').png()],
    ['8 bits, P3 profile', () => red.clone().withIccProfile('p3').png()],
    ['16 bits, no profile', () => red.clone().toColourspace('rgb16').png()],
    ['16 bits, sRGB profile', () => red.clone().toColourspace('rgb16').withIccProfile('srgb').png()],
    ['16 bits, P3 profile', () => red.clone().toColourspace('rgb16').withIccProfile('p3').png()],
    ['10 bits AVIF, P3 profile', () => red.clone().toColourspace('rgb16').withIccProfile('p3').avif({ bitdepth: 10, effort: 0 })],
  ])('are sRGB afterwards: %s', async (_, source) => {
    const pixels = await pixelsOf((await render(await source().toBuffer())).bytes);
    expect(distance(pixels.at(12, 12), [255, 20, 20])).toBeLessThanOrEqual(8);
  });

  test('are read as sRGB where a deep picture\'s profile is junk', async () => {
    const deep = await red.clone().toColourspace('rgb16').withIccProfile('srgb').tiff().toBuffer();
    const profileAt = deep.indexOf('acsp') - 36;
    junk.copy(deep, profileAt);
    const pixels = await pixelsOf((await render(deep)).bytes);
    expect(distance(pixels.at(12, 12), [255, 20, 20])).toBeLessThanOrEqual(8);
  });

  test('of a see-through edge do not darken when it is made smaller', async () => {
    const pixels = await pixelsOf((await render(testFile('img-alpha-soft-edge.png'), { maxWidth: 16 })).bytes);
    const seen = Array.from({ length: 16 }, (_, x) => pixels.at(x, 8)).filter((pixel) => (pixel[3] ?? 0) > 32);
    expect(seen.length).toBeGreaterThan(12);
    for (const pixel of seen) expect(distance(pixel.slice(0, 3), [240, 120, 0])).toBeLessThanOrEqual(16);
  });
});

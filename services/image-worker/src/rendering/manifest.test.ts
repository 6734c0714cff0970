import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PhotoFault, type Reason } from '../reasons.js';
import { manifest, testFile } from '../testing/manifest.js';
import { first, onePhoto } from '../testing/orders.js';
import { testPool } from '../testing/picture-pool.js';
import { distance, pixelsOf, type Pixel, type Pixels } from '../testing/pixels.js';
import type { Format } from './container/signature.js';
import { defaultLimits as limits } from './limits.js';
import type { MadePhoto } from './picture-order.js';

// How far a channel may be off what the source holds: WebP at quality 80 keeps flat areas of these pictures within 8.
const TOLERANCE = 8;
const order = onePhoto();
const { pool } = testPool();
beforeAll(() => pool.start());
afterAll(() => pool.stop());

interface Accepted {
  readonly format: Format;
  /** Of the rendition. */
  readonly size: readonly [number, number];
  readonly pages?: number;
  readonly look?: (pixels: Pixels) => void;
}
type Verdict = Accepted | Reason;

const near = (pixels: Pixels, x: number, y: number, wanted: Pixel): void => {
  const found = pixels.at(x, y);
  expect(distance(found, wanted), `pixel ${x},${y} is ${found.join(',')}, wanted ${wanted.join(',')}`).toBeLessThanOrEqual(TOLERANCE);
};

// The card: 60 x 40, a square of one colour in each corner.
const card = (pixels: Pixels): void => {
  near(pixels, 3, 3, [220, 20, 20]);
  near(pixels, 56, 3, [20, 180, 20]);
  near(pixels, 3, 36, [20, 20, 220]);
  near(pixels, 56, 36, [245, 245, 245]);
};

// Inks do not hit the card's values exactly: what counts is that red is red, not inverted and not shifted.
const inks = (pixels: Pixels): void => {
  const [red = 0, green = 255, blue = 255] = pixels.at(3, 3);
  expect([red > 180, green < 80, blue < 80]).toEqual([true, true, true]);
  expect(pixels.channels).toBe(3);
  near(pixels, 56, 36, [242, 242, 242]);
};

const flat = (...wanted: number[]) => (pixels: Pixels): void => near(pixels, Math.floor(pixels.width / 2), Math.floor(pixels.height / 2), wanted);

const upright = { size: [60, 40], look: card } as const;

const verdicts: Readonly<Record<string, Verdict>> = {
  'img-1x1.png': { format: 'png', size: [1, 1] },
  'img-1x4000.png': { format: 'png', size: [1, 320] },
  'img-20000x8.png': { format: 'png', size: [320, 1] },
  'img-5000x1.png': { format: 'png', size: [320, 1] },
  'img-8x17000.jpg': { format: 'jpeg', size: [1, 320] },
  'img-alpha-soft-edge.png': {
    format: 'png',
    size: [40, 40],
    look: (pixels) => {
      expect(pixels.at(0, 0)[3]).toBe(0);
      near(pixels, 20, 20, [240, 120, 0, 255]);
      near(pixels, 4, 20, [240, 120, 0, 128]);
    },
  },
  'img-anim-3frames.gif': { format: 'gif', size: [32, 24], pages: 3, look: flat(237, 0, 0) },
  'img-gif-named.png': { format: 'gif', size: [32, 24], pages: 3, look: flat(237, 0, 0) },
  'img-anim-4frames.webp': { format: 'webp', size: [32, 24], pages: 4, look: flat(237, 0, 0) },
  'img-anim-700-tiny-frames.gif': { format: 'gif', size: [8, 8], pages: 700, look: flat(0, 0, 0) },
  'img-apng-2frames.png': { format: 'png', size: [16, 16], pages: 1, look: flat(200, 200, 200) },
  'img-avif.avif': { format: 'avif', ...upright },
  'img-bad-crc-text-chunk.png': { format: 'png', size: [16, 16] },
  'img-bad-crc-idat.png': 'CORRUPT',
  'img-0x0.png': 'CORRUPT',
  'img-bigtiff.tif': { format: 'tiff', ...upright },
  'img-bomb-30000x30000-1bit.png': 'PIXEL_LIMIT',
  'img-cmyk-adobe-inverted.jpg': { format: 'jpeg', size: [60, 40], look: inks },
  'img-cmyk.tif': { format: 'tiff', size: [60, 40], look: inks },
  'img-display-p3-red.jpg': { format: 'jpeg', size: [48, 48], look: flat(255, 20, 20) },
  'img-exif-bad-offset.jpg': { format: 'jpeg', ...upright },
  'img-exif-orientation-2.jpg': { format: 'jpeg', ...upright },
  'img-exif-orientation-3.jpg': { format: 'jpeg', ...upright },
  'img-exif-orientation-4.jpg': { format: 'jpeg', ...upright },
  'img-exif-orientation-6.jpg': { format: 'jpeg', ...upright },
  'img-exif-orientation-8.jpg': { format: 'jpeg', ...upright },
  'img-gps.jpg': { format: 'jpeg', ...upright },
  'img-grey-alpha8.png': { format: 'png', size: [64, 32], look: (pixels) => expect(pixels.at(32, 16)[3]).toBe(128) },
  'img-heic-hevc.heic': 'UNSUPPORTED_FORMAT',
  'img-html-error-page.jpg': 'UNSUPPORTED_FORMAT',
  'img-pdf-named.jpg': 'UNSUPPORTED_FORMAT',
  'img-mvg-script.png': 'UNSUPPORTED_FORMAT',
  'img-svg-entity-expansion.svg': 'UNSUPPORTED_FORMAT',
  'img-svg-external-refs.svg': 'UNSUPPORTED_FORMAT',
  'img-svg-huge-canvas.svg': 'UNSUPPORTED_FORMAT',
  'img-header-only-20-bytes.jpg': 'TRUNCATED',
  'img-icc-garbage.jpg': { format: 'jpeg', ...upright },
  'img-icc-truncated.jpg': { format: 'jpeg', ...upright },
  'img-interlaced.png': { format: 'png', ...upright },
  'img-missing-eoi.jpg': 'TRUNCATED',
  'img-mpo-two-pictures.jpg': { format: 'jpeg', ...upright },
  'img-palette-1bit-trns.png': {
    format: 'png',
    size: [32, 16],
    look: (pixels) => {
      near(pixels, 3, 8, [230, 0, 0, 255]);
      expect(pixels.at(28, 8)[3]).toBe(0);
    },
  },
  'img-palette-trns.png': {
    format: 'png',
    size: [40, 40],
    look: (pixels) => {
      expect(pixels.at(0, 0)[3]).toBe(0);
      near(pixels, 20, 20, [240, 120, 0, 255]);
      near(pixels, 4, 20, [240, 120, 0, 128]);
    },
  },
  'img-png-named.jpg': { format: 'png', ...upright },
  'img-rgb16.png': {
    format: 'png',
    size: [64, 32],
    look: (pixels) => {
      const column = Array.from({ length: 32 }, (_, y) => pixels.at(32, y)[0] ?? 0);
      expect(column[0]).toBeGreaterThan(240);
      expect(column[31]).toBeLessThan(15);
      expect(column).toEqual([...column].sort((a, b) => b - a));
    },
  },
  'img-tiff-2pages.tif': { format: 'tiff', ...upright, pages: 2 },
  'img-tiff-small-page-first.tif': { format: 'tiff', size: [16, 10], pages: 2 },
  'img-trailing-garbage.jpg': { format: 'jpeg', ...upright },
  'img-trailing-zip.png': { format: 'png', ...upright },
  'img-truncated-50pct.png': 'TRUNCATED',
  'img-truncated-baseline-60pct.jpg': 'TRUNCATED',
  'img-truncated-progressive-70pct.jpg': 'TRUNCATED',
  'img-zero-byte.jpg': 'EMPTY',
};

const make = (file: string): Promise<MadePhoto> => pool.make(testFile(file), { order, limits, signal: new AbortController().signal });

describe('each picture of the manifest gets its verdict', () => {
  test.each(manifest())('$file ($what): $expected', async ({ file }) => {
    const verdict = verdicts[file];
    if (verdict === undefined) throw new Error(`the manifest's ${file} has no verdict here`);
    if (typeof verdict === 'string') {
      const fault = await make(file).then(() => undefined, (error: unknown) => error);
      expect(fault).toBeInstanceOf(PhotoFault);
      expect(fault).toHaveProperty('reason', verdict);
      return;
    }
    const made = await make(file);
    const [photo, source] = [first(made), made.source];
    expect({ format: source.format, pages: source.pages, size: [photo.width, photo.height] })
      .toEqual({ format: verdict.format, pages: verdict.pages ?? 1, size: verdict.size });
    const pixels = await pixelsOf(photo.bytes);
    expect([pixels.width, pixels.height]).toEqual(verdict.size);
    verdict.look?.(pixels);
  });

  test('no verdict is left without its picture', () => {
    expect(Object.keys(verdicts).sort()).toEqual(manifest().map((row) => row.file).sort());
  });
});

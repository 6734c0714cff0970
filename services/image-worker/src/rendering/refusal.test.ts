import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PhotoFault, type Reason } from '../reasons.js';
import { testFile } from '../testing/manifest.js';
import { onePhoto } from '../testing/orders.js';
import { testPool } from '../testing/picture-pool.js';
import { greyTiff, noise, plain } from '../testing/sample-pictures.js';
import { defaultLimits as defaults, type PictureLimits } from './limits.js';

const order = onePhoto({ maxWidth: 64, maxHeight: 64, effort: 0 });
const { pool } = testPool({ children: 2 });
beforeAll(() => pool.start());
afterAll(() => pool.stop());

/** The reason for which a file is refused, or `made`. */
async function outcome(bytes: Buffer, limits: PictureLimits = defaults): Promise<Reason | 'made'> {
  try {
    await pool.make(bytes, { order, limits, signal: new AbortController().signal });
    return 'made';
  } catch (error) {
    if (error instanceof PhotoFault) return error.reason;
    throw error;
  }
}

const sources: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['jpeg', () => noise(120, 80).jpeg().toBuffer()],
  ['progressive jpeg', () => noise(120, 80).jpeg({ progressive: true }).toBuffer()],
  ['png', () => noise(120, 80).png().toBuffer()],
  ['interlaced png', () => noise(120, 80).png({ progressive: true }).toBuffer()],
  ['webp', () => noise(120, 80).webp().toBuffer()],
  ['lossless webp', () => noise(120, 80).webp({ lossless: true }).toBuffer()],
  ['gif', () => noise(120, 80).gif({ effort: 1 }).toBuffer()],
  ['tiff with JPEG strips', () => noise(120, 80).tiff({ compression: 'jpeg' }).toBuffer()],
  ['tiff with LZW strips', () => noise(120, 80).tiff({ compression: 'lzw' }).toBuffer()],
  ['tiff with Deflate tiles', () => noise(120, 80).tiff({ compression: 'deflate', tile: true }).toBuffer()],
  ['tiff with plain strips', () => noise(120, 80).tiff({ compression: 'none' }).toBuffer()],
  ['avif', () => noise(120, 80).avif({ effort: 0 }).toBuffer()],
];

describe('a picture that stops early', () => {
  test.each(sources)('is TRUNCATED wherever it was cut: %s', async (_, source) => {
    const whole = await source();
    expect(await outcome(whole)).toBe('made');
    for (const share of [0.1, 0.5, 0.97]) expect([share, await outcome(whole.subarray(0, Math.floor(whole.length * share)))]).toEqual([share, 'TRUNCATED']);
  });

  test('is TRUNCATED also where every pixel of its first frame is there', async () => {
    const png = await noise(120, 80).png().toBuffer();
    const gif = testFile('img-anim-3frames.gif');
    const webp = testFile('img-anim-4frames.webp');
    const early = [png.subarray(0, png.indexOf('IEND') - 4), gif.subarray(0, gif.length - 1), webp.subarray(0, webp.length - 2)];
    expect(await Promise.all(early.map((file) => outcome(file)))).toEqual(['TRUNCATED', 'TRUNCATED', 'TRUNCATED']);
  });

  test('is TRUNCATED where a WebP is shorter than it says', async () => {
    const webp = Buffer.from(await noise(120, 80).webp().toBuffer());
    webp.writeUInt32LE(webp.readUInt32LE(4) + 2, 4);
    expect(await outcome(webp)).toBe('TRUNCATED');
  });

  test('is TRUNCATED also where a TIFF lists its strips before they come', async () => {
    const whole = greyTiff();
    expect(await outcome(whole)).toBe('made');
    expect(await outcome(whole.subarray(0, whole.length - 10))).toBe('TRUNCATED');
  });
});

describe('a damaged picture', () => {
  test('is CORRUPT where the format can tell', async () => {
    const png = Buffer.from(await noise(120, 80).png().toBuffer());
    png.fill(0, png.length >> 1, (png.length >> 1) + 8);
    const lzw = Buffer.from(await noise(120, 80).tiff({ compression: 'lzw' }).toBuffer());
    lzw.fill(0xff, lzw.length >> 1, (lzw.length >> 1) + 64);
    const jpeg = Buffer.from(await noise(120, 80).jpeg().toBuffer());
    jpeg.fill(0xff, jpeg.length >> 1, (jpeg.length >> 1) + 64);
    expect(await Promise.all([outcome(png), outcome(lzw), outcome(jpeg)])).toEqual(['CORRUPT', 'CORRUPT', 'CORRUPT']);
  });

  test('gets the same verdict beside others that fail at the same time', async () => {
    const files = ['img-bad-crc-idat.png', 'img-truncated-50pct.png', 'img-truncated-baseline-60pct.jpg', 'img-0x0.png', 'img-html-error-page.jpg', 'img-gps.jpg'];
    const expected = ['CORRUPT', 'TRUNCATED', 'TRUNCATED', 'CORRUPT', 'UNSUPPORTED_FORMAT', 'made'];
    const rounds = Array.from({ length: 6 }, () => Promise.all(files.map((file) => outcome(testFile(file)))));
    for (const round of await Promise.all(rounds)) expect(round).toEqual(expected);
  });
});

describe('a harmless oddity is no reason to refuse', () => {
  test('scan parameters as some phones write them', async () => {
    const jpeg = await noise(120, 80).jpeg().toBuffer();
    const scanAt = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    jpeg[scanAt + 2 + jpeg.readUInt16BE(scanAt + 2) - 2] = 0; // Se
    expect(await outcome(jpeg)).toBe('made');
  });

  test('a text tag of the wrong type and tags of others in a TIFF', async () => {
    expect(await outcome(greyTiff([[305, 3, 7], [34412, 4, 5], [65001, 3, 7]]))).toBe('made');
  });
});

describe('limits are judged before decoding', () => {
  test('pixels: at the limit it is made, above it PIXEL_LIMIT', async () => {
    const picture = await plain(100, 50, [1, 2, 3]).png().toBuffer();
    expect(await outcome(picture, { ...defaults, maxPixels: 5000 })).toBe('made');
    expect(await outcome(picture, { ...defaults, maxPixels: 4999 })).toBe('PIXEL_LIMIT');
  });

  test('sides: at the limit it is made, above it PIXEL_LIMIT, however few pixels there are', async () => {
    const line = await plain(70_000, 1, [1, 2, 3]).png().toBuffer();
    expect(await outcome(line, { ...defaults, maxSide: 70_000 })).toBe('made');
    expect(await outcome(line, { ...defaults, maxSide: 69_999 })).toBe('PIXEL_LIMIT');
    expect(await outcome(line)).toBe('PIXEL_LIMIT');
  });

  test('pixels: a picture whose pixels are damaged is still refused for their number', async () => {
    const damaged = testFile('img-bad-crc-idat.png');
    expect(await outcome(damaged, { ...defaults, maxPixels: 255 })).toBe('PIXEL_LIMIT');
  });

  test('bytes: at the limit it is made, above it BYTE_LIMIT', async () => {
    const picture = testFile('img-gps.jpg');
    expect(await outcome(picture, { ...defaults, maxBytes: picture.length })).toBe('made');
    expect(await outcome(picture, { ...defaults, maxBytes: picture.length - 1 })).toBe('BYTE_LIMIT');
  });

  test.each([['img-anim-700-tiny-frames.gif', 700], ['img-anim-4frames.webp', 4], ['img-tiff-2pages.tif', 2]])('frames and pages: %s has %i, one fewer allowed is FRAME_LIMIT', async (file, frames) => {
    expect(await outcome(testFile(file), { ...defaults, maxFrames: frames })).toBe('made');
    expect(await outcome(testFile(file), { ...defaults, maxFrames: frames - 1 })).toBe('FRAME_LIMIT');
  });
});

describe('a file that would make a decoder read or call elsewhere', () => {
  const server = createServer();
  afterEach(() => new Promise((done) => { server.close(done); }));

  test('opens no connection', async () => {
    let connections = 0;
    server.on('connection', (socket) => { connections += 1; socket.destroy(); });
    await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = `http://127.0.0.1:${address.port}/x.png`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8"><image xlink:href="${url}" width="8" height="8"/></svg>`;
    const script = `push graphic-context\nviewbox 0 0 8 8\nfill 'url(${url})'\npop graphic-context`;
    expect(await outcome(Buffer.from(svg))).toBe('UNSUPPORTED_FORMAT');
    expect(await outcome(Buffer.from(script))).toBe('UNSUPPORTED_FORMAT');
    expect(connections).toBe(0);
  });
});

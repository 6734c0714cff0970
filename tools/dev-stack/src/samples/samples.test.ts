import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { samples } from './samples.js';

const size = 0.15;
const made = async (name: string): Promise<Buffer> => {
  const sample = samples.find((each) => each.name === name);
  if (sample === undefined) throw new Error(`there is no sample ${name}`);
  return sample.make(size);
};
/** Red, green, blue and alpha at a place given in shares of width and height. */
async function colourAt(picture: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(picture, { autoOrient: true }).toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(at, at + 4)];
}

describe.each(samples)('$name', ({ make }) => {
  test('is the same picture each time, and can be decoded', async () => {
    const [first, second] = [await make(size), await make(size)];
    expect(first.equals(second)).toBe(true);
    const { width, height } = await sharp(first, { failOn: 'warning' }).stats().then(() => sharp(first).metadata());
    expect(Math.min(width, height)).toBeGreaterThan(10);
  });
});

test('the lighthouse stands upright only for those who heed its orientation', async () => {
  const { width, height, orientation, autoOrient } = await sharp(await made('lighthouse-turned-by-exif.jpg')).metadata();
  expect({ width, height, orientation, autoOrient }).toEqual({ width: 600, height: 450, orientation: 6, autoOrient: { width: 450, height: 600 } });
  const [red = 0, green = 0, blue = 0] = await colourAt(await made('lighthouse-turned-by-exif.jpg'), 0.05, 0.05);
  expect(blue, `sky is above: ${red} ${green} ${blue}`).toBeGreaterThan(red + 50);
});

test('the poppies carry Display P3, and are a fuller red once it is heeded', async () => {
  const picture = await made('poppies-display-p3.jpg');
  const { icc } = await sharp(picture).metadata();
  // UTF-16 in the profile's description.
  expect(icc?.toString('latin1').replaceAll('\0', '')).toContain('sP3C');
  const { data } = await sharp(picture, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true });
  const heeded = await sharp(picture).toColourspace('srgb').raw().toBuffer();
  const reddest = (pixels: Buffer): number => pixels.reduce((most, value, at) => (at % 3 === 0 ? Math.max(most, value - (pixels[at + 1] ?? 0)) : most), 0);
  expect(reddest(heeded)).toBeGreaterThan(reddest(data) + 10);
});

test('the bubbles are see-through, and softly so', async () => {
  const { data } = await sharp(await made('soap-bubbles-alpha.png')).extractChannel('alpha').raw().toBuffer({ resolveWithObject: true });
  expect(data.includes(0)).toBe(true);
  expect(new Set(data).size).toBeGreaterThan(50);
});

test('the wheel turns', async () => {
  const { pages } = await sharp(await made('wheel-animated.gif'), { animated: true }).metadata();
  expect(pages).toBe(6);
});

import sharp from 'sharp';

/** One pixel: red, green, blue and, where the picture has it, alpha, each 0 to 255. */
export type Pixel = readonly number[];

/** A decoded picture to look at in tests. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  at(x: number, y: number): Pixel;
}

export async function pixelsOf(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { width, height, channels, at: (x, y) => [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)] };
}

/** The largest difference of any channel. */
export const distance = (a: Pixel, b: Pixel): number => Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? Number.NaN))));

import { createHash } from 'node:crypto';
import sharp from 'sharp';

/** A photo that can be told from others by its colour, so that bytes served under a wrong name would show. */
export interface Photo {
  readonly bytes: Buffer;
  readonly colour: Colour;
}

type Colour = readonly [r: number, g: number, b: number];

/** JPEG and WebP lose a little. */
const tolerance = 12;

/** The photo of a number: the same number, the same colour; up to 125 are apart by more than what encoding loses. */
export async function photoOf(number: number, width = 48, height = 32): Promise<Photo> {
  const level = (place: number): number => 20 + 50 * (Math.floor(number / 5 ** place) % 5);
  const colour = [level(0), level(1), level(2)] as const;
  const [r, g, b] = colour;
  return { bytes: await sharp({ create: { width, height, channels: 3, background: { r, g, b } } }).jpeg({ quality: 90 }).toBuffer(), colour };
}

/** A picture that ends before its time: its fault lies in the content, so it is rejected at its first attempt. */
export async function truncatedPhotoOf(number: number): Promise<Buffer> {
  const { bytes } = await photoOf(number, 400, 300);
  return bytes.subarray(0, Math.floor(bytes.length * 0.6));
}

/** Whether a picture is of this photo. */
export async function shows(photo: Photo, picture: Uint8Array): Promise<boolean> {
  const { channels } = await sharp(picture).stats();
  return photo.colour.every((value, i) => Math.abs((channels[i]?.mean ?? -1000) - value) <= tolerance);
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

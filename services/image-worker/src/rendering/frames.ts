import sharp, { type Sharp } from 'sharp';
import { inSrgb, openFrames, openUpright } from './decoder.js';
import { ours } from './encoder.js';
import type { PictureLimits } from './limits.js';
import { refusedPicture, type Picture } from './picture.js';
import type { Size } from './target-size.js';

/** Decoded pixels, 8 bits a channel, sRGB: one frame below the other. */
export interface Frames extends Size {
  readonly pixels: Buffer;
  readonly channels: 1 | 2 | 3 | 4;
  /** 1 for a still. */
  readonly frames: number;
  /** How long each is shown, in ms; empty for a still. */
  readonly delay: readonly number[];
  /** How often all are shown, 0 for ever. */
  readonly loop: number;
}

/** Decodes a picture, the one time that it is decoded, at the given size: its first frame, or all where the order keeps them. Throws PhotoFault: TRUNCATED, CORRUPT, INTERNAL. */
export async function decodeFrames(picture: Picture, { width, height }: Size, limits: PictureLimits): Promise<Frames> {
  const { bytes, format, keepsFrames } = picture;
  const opened = keepsFrames ? openFrames(bytes, limits.maxPixels) : openUpright(bytes, format, limits.maxPixels);
  try {
    const { data, info } = await inSrgb(opened, picture).resize({ width, height, fit: 'fill' }).raw().toBuffer({ resolveWithObject: true });
    const frames = keepsFrames ? picture.pages : 1;
    return { pixels: data, width: info.width, height: info.height / frames, channels: info.channels, frames, delay: keepsFrames ? picture.delay : [], loop: picture.loop };
  } catch (error) {
    throw ours(error) ?? refusedPicture(format, bytes, error);
  }
}

/** The first frame, of the same pixels. */
export const firstOf = (of: Frames): Frames => ({ ...of, pixels: of.pixels.subarray(0, of.width * of.height * of.channels), frames: 1, delay: [] });

/** A pipeline over decoded pixels. */
export function sharpOf({ pixels, width, height, channels, frames }: Frames): Sharp {
  const raw = { width, height: height * frames, channels };
  return frames === 1 ? sharp(pixels, { raw, limitInputPixels: false }) : sharp(pixels, { raw: { ...raw, pageHeight: height }, animated: true, limitInputPixels: false });
}

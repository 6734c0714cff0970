import { PhotoFault } from '../reasons.js';
import { openUpright } from './decoder.js';
import type { PictureLimits } from './limits.js';
import { refusedPicture, type Picture } from './picture.js';

/** What to make of a picture: one WebP that fits within a box. */
export interface RenditionSpec {
  /** Pixels, 1 to 16383 (the most that WebP can hold). */
  readonly maxWidth: number;
  readonly maxHeight: number;
  /** 1 to 100. */
  readonly quality: number;
  /** 0 (fast) to 6 (small). */
  readonly effort: number;
}

export interface WebpPhoto {
  readonly bytes: Buffer;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes, turns upright, fits into the box and encodes in one pass over the pixels. Never enlarges; keeps proportions, each side at least 1; the
 * result is sRGB, 8 bits, keeps see-through parts, and carries no metadata.
 * It may take any time: whoever calls it bounds that from outside. Throws PhotoFault: TRUNCATED, CORRUPT, INTERNAL.
 */
export async function renderWebp(picture: Picture, spec: RenditionSpec, limits: PictureLimits): Promise<WebpPhoto> {
  const pipeline = openUpright(picture.bytes, picture.format, limits.maxPixels)
    .resize({ width: spec.maxWidth, height: spec.maxHeight, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: spec.quality, effort: spec.effort });
  // sharp works on deep RGB in Display P3 and would leave a profiled picture's numbers there: convert on the way in instead.
  if (picture.isDeepRgb) pipeline.pipelineColourspace('srgb');
  try {
    const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    if (isOurs(error)) throw new PhotoFault('INTERNAL', 'out of memory, or the encoder failed', { cause: error });
    throw refusedPicture(picture.format, picture.bytes, error);
  }
}

// A fault of this machine, or the bound on memory, must not condemn the picture. The words of libvips and its codecs can be taken for this picture's, as a
// process makes one at a time; what a file can make a codec say of its own ("failed to allocate" for an absurd length) is not among them.
const isOurs = (error: unknown): boolean => error instanceof Error && /out of memory|insufficient memory|unable to allocate|error creating thread|webpsave|vips2webp/i.test(error.message);

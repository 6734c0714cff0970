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

export interface RenderLimits extends PictureLimits {
  /** How long decoding and encoding may take, in whole seconds, at least 1. */
  readonly renderTimeoutSeconds: number;
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
 * Throws PhotoFault: TRUNCATED, CORRUPT, TIMEOUT, INTERNAL.
 */
export async function renderWebp(picture: Picture, spec: RenditionSpec, limits: RenderLimits): Promise<WebpPhoto> {
  const startedAt = performance.now();
  const pipeline = openUpright(picture.bytes, picture.format, limits.maxPixels)
    .resize({ width: spec.maxWidth, height: spec.maxHeight, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: spec.quality, effort: spec.effort })
    .timeout({ seconds: limits.renderTimeoutSeconds });
  // sharp works on deep RGB in Display P3 and would leave a profiled picture's numbers there: convert on the way in instead.
  if (picture.isDeepRgb) pipeline.pipelineColourspace('srgb');
  try {
    const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    const tookSeconds = (performance.now() - startedAt) / 1000;
    if (tookSeconds >= limits.renderTimeoutSeconds) throw new PhotoFault('TIMEOUT', `not done within ${limits.renderTimeoutSeconds} s`, { cause: error });
    if (isOurs(error)) throw new PhotoFault('INTERNAL', 'out of memory, or the encoder failed', { cause: error });
    throw refusedPicture(picture.format, picture.bytes, error);
  }
}

// A fault of this machine must not condemn the picture. Another picture's text in the message can only lead to one more attempt.
const isOurs = (error: unknown): boolean => error instanceof Error && /out of memory|unable to allocate|webpsave|vips2webp/i.test(error.message);

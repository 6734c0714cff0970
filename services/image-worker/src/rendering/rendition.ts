import { inSrgb, openUpright } from './decoder.js';
import { encodedAs, encoded, ours } from './encoder.js';
import { decodeFrames, firstOf, sharpOf } from './frames.js';
import type { PictureLimits } from './limits.js';
import { refusedPicture, type Picture } from './picture.js';
import type { MadePhoto, MadePicture, PictureOrder, RenditionSpec } from './picture-order.js';
import { makePlaceholder, placeholderBox } from './placeholder.js';
import { sufficientSize, targetSize } from './target-size.js';

export type Pictures = Omit<MadePhoto, 'source'>;

/**
 * Decodes once, turns upright, and makes every picture of the order from that. Never enlarges; each side is at least 1; the results are sRGB, 8 bits, and carry
 * no metadata; see-through parts stay so, but in JPEG.
 * It may take any time: whoever calls it bounds that from outside. Throws PhotoFault: TRUNCATED, CORRUPT, INTERNAL.
 */
export async function renderPictures(picture: Picture, order: PictureOrder, limits: PictureLimits): Promise<Pictures> {
  const [only] = order.renditions;
  // Nothing else needs the pixels: they are encoded as they are decoded, and never in memory all at once.
  if (only !== undefined && order.renditions.length === 1 && !order.placeholder && only.format === 'webp' && only.fit === 'inside' && !picture.keepsFrames) {
    return { pictures: [await renderAtOnce(picture, only, limits)], placeholder: undefined };
  }
  const frames = await decodeFrames(picture, sufficientSize(picture, order.placeholder ? [...order.renditions, placeholderBox] : order.renditions), limits);
  const pictures: MadePicture[] = [];
  for (const spec of order.renditions) {
    const shown = spec.format === 'webp' ? frames : firstOf(frames);
    const { width, height } = targetSize(picture, spec);
    const sized = sharpOf(shown).resize({ width, height, fit: spec.fit === 'cover' ? 'cover' : 'fill', position: 'centre' });
    pictures.push(await encoded(sized, spec, shown));
  }
  return { pictures, placeholder: order.placeholder ? await makePlaceholder(firstOf(frames), picture) : undefined };
}

async function renderAtOnce(picture: Picture, spec: RenditionSpec, limits: PictureLimits): Promise<MadePicture> {
  const pipeline = inSrgb(openUpright(picture.bytes, picture.format, limits.maxPixels), picture)
    .resize({ width: spec.maxWidth, height: spec.maxHeight, fit: 'inside', withoutEnlargement: true });
  try {
    const { data, info } = await encodedAs(pipeline, spec).toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height, frames: 1 };
  } catch (error) {
    throw ours(error) ?? refusedPicture(picture.format, picture.bytes, error);
  }
}

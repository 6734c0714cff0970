import { PhotoFault } from '../reasons.js';
import { encoded } from './encoder.js';
import { sharpOf, type Frames } from './frames.js';
import type { MadePicture } from './picture-order.js';
import { placeholderMost } from './placeholder-size.js';
import { targetSize, type Size } from './target-size.js';

export const placeholderBox = { maxWidth: placeholderMost.side, maxHeight: placeholderMost.side, fit: 'inside' } as const;

// The first that is small enough. The last is, whatever it shows: 64 pixels take no more than 256 bytes as they are.
const tries = [[32, 60], [32, 30], [24, 30], [16, 30], [16, 10], [8, 10]] as const;

/** A WebP of at most 1 KiB and 32 pixels a side that shows the whole picture. Throws PhotoFault INTERNAL. */
export async function makePlaceholder(first: Frames, picture: Size): Promise<MadePicture> {
  for (const [side, quality] of tries) {
    const { width, height } = targetSize(picture, { maxWidth: side, maxHeight: side, fit: 'inside' });
    const made = await encoded(sharpOf(first).resize({ width, height, fit: 'fill' }), { format: 'webp', quality, effort: 4 }, first);
    if (made.bytes.length <= placeholderMost.bytes) return made;
  }
  throw new PhotoFault('INTERNAL', 'no placeholder is small enough');
}

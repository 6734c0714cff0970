import { avifEndsEarly } from './avif.js';
import { gifEndsEarly } from './gif.js';
import { jpegEndsEarly } from './jpeg.js';
import { pngEndsEarly } from './png.js';
import type { Format } from './signature.js';
import { tiffEndsEarly } from './tiff.js';
import { webpEndsEarly } from './webp.js';

const checks: Readonly<Record<Format, (bytes: Buffer) => boolean>> = {
  jpeg: jpegEndsEarly,
  png: pngEndsEarly,
  webp: webpEndsEarly,
  gif: gifEndsEarly,
  tiff: tiffEndsEarly,
  avif: avifEndsEarly,
};

/**
 * Does a picture that the decoder has refused stop before its container says that it ends? Tells TRUNCATED (send it again) from CORRUPT. Read from
 * the bytes, as the decoder's words cannot be trusted for it: libvips keeps its error text in one buffer for all threads.
 */
export const endsEarly = (format: Format, bytes: Buffer): boolean => checks[format](bytes);

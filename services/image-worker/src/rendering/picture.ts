import { PhotoFault } from '../reasons.js';
import { endsEarly } from './container/early-end.js';
import { announcedFormat, type Format } from './container/signature.js';
import { readHeader, type Header } from './decoder.js';
import type { PictureLimits } from './limits.js';
import type { PictureOrder } from './picture-order.js';

/** A picture that may be decoded: of a format that is read, and within the limits. */
export interface Picture {
  readonly bytes: Buffer;
  readonly format: Format;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** Frames or pages in the file. */
  readonly pages: number;
  readonly isDeepRgb: boolean;
  /** Whether more than the first frame is wanted, and there are more. */
  readonly keepsFrames: boolean;
  /** Of the frames that are kept: how long each is shown, in ms. */
  readonly delay: readonly number[];
  /** How often all frames are shown, 0 for ever. */
  readonly loop: number;
}

/**
 * Judges a file by its content, from its header alone, for what is to be made of it.
 * Throws PhotoFault: EMPTY, BYTE_LIMIT, UNSUPPORTED_FORMAT, TRUNCATED, CORRUPT, PIXEL_LIMIT, FRAME_LIMIT.
 */
export async function inspectPicture(bytes: Buffer, order: PictureOrder, limits: PictureLimits): Promise<Picture> {
  if (bytes.length === 0) throw new PhotoFault('EMPTY', 'no bytes');
  if (bytes.length > limits.maxBytes) throw new PhotoFault('BYTE_LIMIT', `${bytes.length} bytes, at most ${limits.maxBytes}`);
  const header = await readHeader(bytes).catch((error: unknown) => {
    throw unreadableHeader(bytes, error);
  });
  const format = decodedFormat(header);
  if (format === undefined) throw new PhotoFault('UNSUPPORTED_FORMAT', `${header.loader} ${header.compression ?? ''}`.trim());
  const { width, height, pages, isDeepRgb } = header;
  if (width * height > limits.maxPixels) throw new PhotoFault('PIXEL_LIMIT', `${width} x ${height} pixels, at most ${limits.maxPixels}`);
  if (Math.max(width, height) > limits.maxSide) throw new PhotoFault('PIXEL_LIMIT', `${width} x ${height} pixels, at most ${limits.maxSide} a side`);
  if (pages > limits.maxFrames) throw new PhotoFault('FRAME_LIMIT', `${pages} frames, at most ${limits.maxFrames}`);
  if (pages > 1 && order.animation === 'refuse') throw new PhotoFault('FRAME_LIMIT', `${pages} frames, of which the order takes none but a single one`);
  if (decodedThough.has(format) && endsEarly(format, bytes)) throw new PhotoFault('TRUNCATED', `${format} that ends early`);
  const kept = pages > 1 && wantsFrames(order) ? header.animation : undefined;
  if (kept === undefined) return { bytes, format, width, height, pages, isDeepRgb, keepsFrames: false, delay: [], loop: 0 };
  // All of them are decoded, so all of them count.
  if (kept.width * kept.height * pages > limits.maxPixels) throw new PhotoFault('PIXEL_LIMIT', `${pages} frames of ${kept.width} x ${kept.height} pixels, at most ${limits.maxPixels} in all`);
  return { bytes, format, pages, isDeepRgb, keepsFrames: true, ...kept };
}

const wantsFrames = ({ animation, renditions }: PictureOrder): boolean => animation === 'keep' && renditions.some(({ format }) => format === 'webp');

// What is missing at their end may be missing unnoticed by the decoder: frames but the first, and what says that the file is over. A file that stops before
// its own container does was not sent whole, whatever can still be seen of it.
const decodedThough: ReadonlySet<Format> = new Set(['png', 'gif', 'webp']);

/** TRUNCATED or CORRUPT, for a picture of a readable format that the decoder refused. */
export const refusedPicture = (format: Format, bytes: Buffer, cause: unknown): PhotoFault =>
  endsEarly(format, bytes)
    ? new PhotoFault('TRUNCATED', `${format} that ends early`, { cause })
    : new PhotoFault('CORRUPT', `${format} that cannot be decoded`, { cause });

function unreadableHeader(bytes: Buffer, cause: unknown): PhotoFault {
  const announced = announcedFormat(bytes);
  return announced === undefined ? new PhotoFault('UNSUPPORTED_FORMAT', 'no format that is read', { cause }) : refusedPicture(announced, bytes, cause);
}

const formatOfLoader = new Map<string, Format>([['jpeg', 'jpeg'], ['png', 'png'], ['webp', 'webp'], ['gif', 'gif'], ['tiff', 'tiff']]);

// HEIF is a box for several codecs. The header of an HEVC picture reads well and only its pixels do not, so the compression decides.
const decodedFormat = ({ loader, compression }: Header): Format | undefined =>
  loader === 'heif' && compression === 'av1' ? 'avif' : formatOfLoader.get(loader);

import './untrusted-loaders.js';
import sharp, { type Sharp } from 'sharp';
import { withLawfulScanParameters } from './container/jpeg.js';
import type { Format } from './container/signature.js';
import { tiffCompression } from './container/tiff.js';

// An allow-list: everything that libvips can load is blocked, then the six formats are let in again, from memory only. A blocked loader is not
// even asked whether a file is its own. Ultra HDR JPEGs thus open as the plain JPEG that they begin with.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadTiffBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
});
// One thread a picture and as many pictures as cores: more threads only add latency and memory.
sharp.concurrency(1);
// Pictures do not repeat; a cache would only keep strangers' pixels in memory.
sharp.cache(false);

/** What a picture's header says. Sizes in pixels, upright. */
export interface Header {
  /** As sharp names the loader's format; `heif` stands for AVIF and HEIC alike. */
  readonly loader: string;
  /** HEIF only: `av1`, `hevc`, ... */
  readonly compression: string | undefined;
  readonly width: number;
  readonly height: number;
  /** Frames or pages; 1 when the format has one only. */
  readonly pages: number;
  /** More than 8 bits a channel, in RGB. */
  readonly isDeepRgb: boolean;
}

/** Reads the header without decoding a pixel. Throws whatever the decoder throws. */
export async function readHeader(bytes: Buffer): Promise<Header> {
  // No limit here: the limits are judged on what the header says, so that each has its own reason.
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata();
  return {
    loader: metadata.format,
    compression: metadata.compression,
    width: metadata.autoOrient.width,
    height: metadata.autoOrient.height,
    pages: metadata.pages ?? 1,
    isDeepRgb: metadata.space === 'rgb16',
  };
}

/** A pipeline over the first frame or page (of AVIF, the primary one), turned upright. */
export function openUpright(bytes: Buffer, format: Format, maxPixels: number): Sharp {
  return sharp(format === 'jpeg' ? withLawfulScanParameters(bytes) : bytes, {
    failOn: strictness(format, bytes),
    limitInputPixels: maxPixels,
    autoOrient: true,
  });
}

// `warning` refuses damaged pixels in every format. In a TIFF it also refuses harmless oddities in tags, which scanners write often; where the
// compression reports damage as an error anyway (none, LZW, PackBits), `error` is enough.
const selfReporting = new Set([1, 5, 32773]);

function strictness(format: Format, bytes: Buffer): 'error' | 'warning' {
  if (format !== 'tiff') return 'warning';
  const compression = tiffCompression(bytes);
  return compression !== undefined && selfReporting.has(compression) ? 'error' : 'warning';
}

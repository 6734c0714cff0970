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
  /** Of a GIF or WebP with several frames: how long each is shown, in ms, how often all are, 0 for ever, and the pixels of one as it is stored. */
  readonly animation: { readonly delay: readonly number[]; readonly loop: number; readonly width: number; readonly height: number } | undefined;
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
    animation: metadata.delay && { delay: metadata.delay.map(within16Bits), loop: within16Bits(metadata.loop ?? 0), width: metadata.width, height: metadata.pageHeight ?? metadata.height },
  };
}

// What sharp takes: a frame that is shown for longer than a minute goes after one.
const within16Bits = (value: number): number => Math.min(Math.max(value, 0), 65_535);

/** Frames in a picture of our own making. */
export const countFrames = async (bytes: Buffer): Promise<number> => (await sharp(bytes, { limitInputPixels: false }).metadata()).pages ?? 1;

/** A pipeline over the first frame or page (of AVIF, the primary one), turned upright. */
export function openUpright(bytes: Buffer, format: Format, maxPixels: number): Sharp {
  return sharp(format === 'jpeg' ? withLawfulScanParameters(bytes) : bytes, {
    failOn: strictness(format, bytes),
    limitInputPixels: maxPixels,
    autoOrient: true,
  });
}

/** A pipeline over all frames of a GIF or WebP, each as it is stored: libvips turns none that has several. */
export const openFrames = (bytes: Buffer, maxPixels: number): Sharp => sharp(bytes, { failOn: 'warning', limitInputPixels: maxPixels, animated: true });

/** sharp works on deep RGB in Display P3 and would leave a profiled picture's numbers there: convert on the way in instead. */
export const inSrgb = (pipeline: Sharp, { isDeepRgb }: Pick<Header, 'isDeepRgb'>): Sharp => (isDeepRgb ? pipeline.pipelineColourspace('srgb') : pipeline);

// `warning` refuses damaged pixels in every format. In a TIFF it also refuses harmless oddities in tags, which scanners write often; where the
// compression reports damage as an error anyway (none, LZW, PackBits), `error` is enough.
const selfReporting = new Set([1, 5, 32773]);

function strictness(format: Format, bytes: Buffer): 'error' | 'warning' {
  if (format !== 'tiff') return 'warning';
  const compression = tiffCompression(bytes);
  return compression !== undefined && selfReporting.has(compression) ? 'error' : 'warning';
}

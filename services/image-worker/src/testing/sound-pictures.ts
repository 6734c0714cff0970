import sharp, { type Sharp } from 'sharp';
import type { Format } from '../rendering/container/signature.js';
import { noise, plain } from './sample-pictures.js';

export interface SoundPicture {
  readonly name: string;
  readonly format: Format;
  readonly make: () => Promise<Buffer>;
}

const small = () => noise(20, 14);
const frames = async (): Promise<Sharp> => sharp(await Promise.all([0, 90, 180].map((shade) => plain(20, 14, [shade, 50, 200]).png().toBuffer())), { join: { animated: true } });

/** Small pictures of every readable format, in the ways in which each is commonly written. */
export const soundPictures: readonly SoundPicture[] = [
  { name: 'jpeg', format: 'jpeg', make: () => small().jpeg().withMetadata({ orientation: 6 }).toBuffer() },
  { name: 'progressive jpeg', format: 'jpeg', make: () => small().jpeg({ progressive: true }).toBuffer() },
  { name: 'png', format: 'png', make: () => small().png().withMetadata().toBuffer() },
  { name: 'interlaced png', format: 'png', make: () => small().png({ progressive: true }).toBuffer() },
  { name: 'palette png', format: 'png', make: () => small().png({ palette: true }).toBuffer() },
  { name: 'webp', format: 'webp', make: () => small().webp().withMetadata().toBuffer() },
  { name: 'lossless webp', format: 'webp', make: () => small().webp({ lossless: true }).toBuffer() },
  { name: 'animated webp', format: 'webp', make: async () => (await frames()).webp({ loop: 0, delay: [90, 90, 90] }).toBuffer() },
  { name: 'gif', format: 'gif', make: () => small().gif({ effort: 1 }).toBuffer() },
  { name: 'animated gif', format: 'gif', make: async () => (await frames()).gif({ effort: 1, delay: [90, 90, 90] }).toBuffer() },
  { name: 'tiff with LZW strips', format: 'tiff', make: () => small().tiff({ compression: 'lzw' }).toBuffer() },
  { name: 'tiff with Deflate strips', format: 'tiff', make: () => small().tiff({ compression: 'deflate' }).toBuffer() },
  { name: 'tiff with JPEG strips', format: 'tiff', make: () => small().tiff({ compression: 'jpeg' }).toBuffer() },
  { name: 'plain tiff', format: 'tiff', make: () => small().tiff({ compression: 'none' }).toBuffer() },
  { name: 'avif', format: 'avif', make: () => small().avif({ effort: 0 }).toBuffer() },
];

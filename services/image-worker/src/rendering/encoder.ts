import type { Sharp } from 'sharp';
import { PhotoFault } from '../reasons.js';
import { countFrames } from './decoder.js';
import type { Frames } from './frames.js';
import type { MadePicture, RenditionSpec } from './picture-order.js';

type Encoding = Pick<RenditionSpec, 'format' | 'quality' | 'effort'>;

/** The pipeline's end. JPEG knows no see-through: it is laid on white. */
export function encodedAs(pipeline: Sharp, { format, quality, effort }: Encoding, animation?: { readonly delay: readonly number[]; readonly loop: number }): Sharp {
  switch (format) {
    case 'webp':
      return pipeline.webp({ quality, effort, ...(animation && { delay: [...animation.delay], loop: animation.loop }) });
    case 'avif':
      return pipeline.avif({ quality, effort });
    case 'jpeg':
      return pipeline.flatten({ background: '#ffffff' }).jpeg({ quality });
  }
}

/** Encodes pixels that were decoded already: whatever goes wrong is no fault of the picture's. Throws PhotoFault INTERNAL. */
export async function encoded(pipeline: Sharp, spec: Encoding, { frames, delay, loop }: Frames): Promise<MadePicture> {
  try {
    const { data, info } = await encodedAs(pipeline, spec, frames > 1 ? { delay, loop } : undefined).toBuffer({ resolveWithObject: true });
    // Of frames that look the same the encoder makes one that stays for longer.
    const made = frames > 1 ? await countFrames(data) : 1;
    // sharp gives the height of all frames together.
    return { bytes: data, width: info.width, height: info.height / frames, frames: made };
  } catch (error) {
    throw ours(error) ?? new PhotoFault('INTERNAL', 'the encoder failed', { cause: error });
  }
}

// A fault of this machine, or the bound on memory, must not condemn the picture. The words of libvips and its codecs can be taken for this picture's, as a
// process makes one at a time; what a file can make a codec say of its own ("failed to allocate" for an absurd length) is not among them.
const wordsOfOurs = /out of memory|insufficient memory|unable to allocate|array buffer allocation failed|error creating thread|webpsave|vips2webp/i;

/** The fault for an error that is none of the picture's; undefined for any other. */
export const ours = (error: unknown): PhotoFault | undefined =>
  error instanceof Error && wordsOfOurs.test(error.message) ? new PhotoFault('INTERNAL', 'out of memory, or the encoder failed', { cause: error }) : undefined;

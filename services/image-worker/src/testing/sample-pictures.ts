import sharp, { type Sharp } from 'sharp';

/** Noise that compresses badly: any cut or flipped byte falls into pixel data. The same at every run. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const samples = Buffer.alloc(width * height * channels);
  let state = 1;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    samples[i] = state >> 16;
  }
  return sharp(samples, { raw: { width, height, channels } });
}

/** One colour. */
export const plain = (width: number, height: number, [r = 0, g = 0, b = 0]: readonly number[]): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r, g, b } } });

/** A field of a directory as TIFF stores it: tag, type (3 short, 4 long), value. */
export type TiffField = readonly [tag: number, type: 3 | 4, value: number];

/** An uncompressed 8 x 8 grey TIFF whose directory stands before its pixels, with further fields of the caller's. */
export function greyTiff(extra: readonly TiffField[] = []): Buffer {
  const required: TiffField[] = [[256, 3, 8], [257, 3, 8], [258, 3, 8], [259, 3, 1], [262, 3, 1], [273, 4, 0], [277, 3, 1], [278, 3, 8], [279, 4, 64]];
  const fields = [...required, ...extra].sort((a, b) => a[0] - b[0]);
  const pixelsAt = 8 + 2 + fields.length * 12 + 4;
  const file = Buffer.alloc(pixelsAt + 64, 0x80);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(fields.length, 8);
  fields.forEach(([tag, type, value], i) => {
    const at = 10 + i * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(tag === 273 ? pixelsAt : value, at + 8);
  });
  file.writeUInt32LE(0, 10 + fields.length * 12);
  return file;
}

import type { Format } from '../rendering/container/signature.js';

/** Where the parts of a sound picture lie: what a test cuts, bends and overwrites. */
export interface Outline {
  /** Every place where one part of the container ends and the next begins, in order. */
  readonly boundaries: readonly number[];
  /** Every field that says how long something is, or how many. */
  readonly lengths: readonly LengthField[];
  /** Where pixel data begins; what stands before describes it. */
  readonly headerBytes: number;
}

export interface LengthField {
  readonly at: number;
  readonly bytes: 1 | 2 | 4;
  readonly order: 'big' | 'little';
}

class Sketch {
  readonly boundaries = new Set<number>([0]);
  readonly lengths: LengthField[] = [];
  headerBytes = 0;

  mark(...places: number[]): void {
    for (const place of places) this.boundaries.add(place);
  }

  length(at: number, bytes: 1 | 2 | 4, order: 'big' | 'little'): void {
    this.lengths.push({ at, bytes, order });
    this.mark(at, at + bytes);
  }
}

const walks: Readonly<Record<Format, (file: Buffer, sketch: Sketch) => void>> = { jpeg, png, webp, gif, tiff, avif };

/** Of a picture as sharp writes it; not for strangers' files. */
export function outlineOf(format: Format, file: Buffer): Outline {
  const sketch = new Sketch();
  walks[format](file, sketch);
  sketch.mark(file.length);
  return { boundaries: [...sketch.boundaries].filter((at) => at <= file.length).sort((a, b) => a - b), lengths: sketch.lengths, headerBytes: sketch.headerBytes };
}

function jpeg(file: Buffer, sketch: Sketch): void {
  for (let at = 2; at < file.length;) {
    const marker = file.readUInt8(at + 1);
    sketch.mark(at, at + 2);
    if (marker === 0xd9) return;
    sketch.length(at + 2, 2, 'big');
    at += 2 + file.readUInt16BE(at + 2);
    if (marker !== 0xda) continue;
    sketch.mark(at);
    sketch.headerBytes ||= at;
    while (file[at] !== 0xff || file[at + 1] === 0 || ((file[at + 1] ?? 0) & 0xf8) === 0xd0) at += 1;
  }
}

function png(file: Buffer, sketch: Sketch): void {
  sketch.mark(8);
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') sketch.headerBytes ||= at + 8;
    sketch.length(at, 4, 'big');
    sketch.mark(at + 8, at + 8 + length, at + 12 + length);
    at += 12 + length;
  }
}

function webp(file: Buffer, sketch: Sketch): void {
  sketch.length(4, 4, 'little');
  sketch.mark(12);
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4);
    // The frame's own header, which says its size, stands at the beginning of its data.
    const kind = file.toString('latin1', at, at + 4);
    if (['VP8 ', 'VP8L', 'ANMF'].includes(kind)) sketch.headerBytes ||= at + (kind === 'ANMF' ? 42 : 18);
    sketch.length(at + 4, 4, 'little');
    sketch.mark(at, at + 8 + length);
    at += 8 + length + (length & 1);
  }
}

function gif(file: Buffer, sketch: Sketch): void {
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + table(file.readUInt8(10));
  sketch.mark(6, 13, at);
  while (at < file.length && file[at] !== 0x3b) {
    sketch.mark(at);
    if (file[at] === 0x2c) {
      at += 10 + table(file.readUInt8(at + 9));
      sketch.mark(at);
      at += 1; // size of the first code
      sketch.headerBytes ||= at;
    } else at += 2;
    for (let size = file.readUInt8(at); size > 0; size = file.readUInt8(at)) {
      sketch.length(at, 1, 'little');
      at += 1 + size;
    }
    at += 1;
  }
  sketch.mark(at);
}

function tiff(file: Buffer, sketch: Sketch): void {
  const directory = file.readUInt32LE(4);
  sketch.length(4, 4, 'little');
  sketch.length(directory, 2, 'little');
  const end = directory + 2 + file.readUInt16LE(directory) * 12;
  for (let at = directory + 2; at < end; at += 12) {
    sketch.length(at + 4, 4, 'little');
    sketch.length(at + 8, 4, 'little');
  }
  sketch.mark(end, end + 4);
  sketch.headerBytes = 8;
}

function avif(file: Buffer, sketch: Sketch): void {
  const walk = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      const size = file.readUInt32BE(at);
      const type = file.toString('latin1', at + 4, at + 8);
      sketch.length(at, 4, 'big');
      sketch.mark(at + 8, at + size);
      if (type === 'mdat') sketch.headerBytes ||= at + 8;
      if (type === 'meta') walk(at + 12, at + size);
      if (type === 'iprp' || type === 'ipco') walk(at + 8, at + size);
      at += size;
    }
  };
  walk(0, file.length);
}

import type { Charset } from '../shipment.js';

export interface CharsetChoice {
  readonly charset: Charset;
  readonly bigEndian: boolean;
  /** Why the bytes cannot be read at all. */
  readonly fault?: string;
}

/** The charset of a file by what was declared and by the mark (U+FEFF) that its first bytes may be. A mark that says otherwise than the declaration is a fault. */
export function charsetOf(first: Buffer, declared: Charset | undefined): CharsetChoice {
  const mark = markOf(first);
  const charset = declared ?? mark?.charset ?? 'utf-8';
  const bigEndian = mark?.bigEndian ?? false;
  if (mark !== undefined && mark.charset !== charset) {
    return { charset, bigEndian, fault: `the file begins with the byte order mark of ${mark.charset}, but was declared as ${charset}: declare what it is, or nothing` };
  }
  if (charset === 'utf-16' && mark === undefined && first.length > 0) {
    return { charset, bigEndian, fault: 'a UTF-16 file must begin with its byte order mark: save it with one, or as UTF-8' };
  }
  return { charset, bigEndian };
}

function markOf(first: Buffer): { charset: 'utf-8' | 'utf-16'; bigEndian: boolean } | undefined {
  if (first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf) return { charset: 'utf-8', bigEndian: false };
  if (first[0] === 0xff && first[1] === 0xfe) return { charset: 'utf-16', bigEndian: false };
  if (first[0] === 0xfe && first[1] === 0xff) return { charset: 'utf-16', bigEndian: true };
  return undefined;
}

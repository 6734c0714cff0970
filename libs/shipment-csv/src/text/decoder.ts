import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { Charset } from '../shipment.js';

/**
 * Turns blocks of the file into UTF-8. What is not text in the charset comes out as U+FFFD, which no shipment may hold: one look for
 * that character finds both (see forbidden-character.ts).
 */
export interface Decoder {
  decode(block: Buffer, last: boolean): Buffer;
}

export function decoderOf(charset: Charset, bigEndian: boolean): Decoder {
  if (charset === 'utf-8') return new Utf8Decoder();
  if (charset === 'utf-16') return utf16Decoder(bigEndian);
  // Not TextDecoder: in several releases of Node.js its windows-1252 is Latin-1, and it takes bytes that the code page does not define.
  return { decode: (block) => Buffer.from(iconv.decode(block, charset, { stripBOM: false })) };
}

function utf16Decoder(bigEndian: boolean): Decoder {
  const decoder = new TextDecoder(bigEndian ? 'utf-16be' : 'utf-16le', { ignoreBOM: true });
  return { decode: (block, last) => Buffer.from(decoder.decode(block, { stream: !last })) };
}

class Utf8Decoder implements Decoder {
  #held = Buffer.alloc(0);

  decode(block: Buffer, last: boolean): Buffer {
    const bytes = this.#held.length === 0 ? block : Buffer.concat([this.#held, block]);
    const whole = last ? bytes.length : bytes.length - unfinished(bytes);
    this.#held = Buffer.from(bytes.subarray(whole));
    const text = bytes.subarray(0, whole);
    return isUtf8(text) ? text : Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text));
  }
}

/** Bytes at the end, 0 to 3, that begin a character which goes on beyond it. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

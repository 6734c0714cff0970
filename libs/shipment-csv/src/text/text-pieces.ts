import type { Charset } from '../shipment.js';
import { blocks } from './blocks.js';
import { charsetOf } from './charset-of.js';
import { decoderOf, type Decoder } from './decoder.js';
import { forbiddenCharacter } from './forbidden-character.js';

/** A piece of the file's text as UTF-8 that holds whole characters only, and none that is forbidden. */
export interface TextPiece {
  readonly text: Buffer;
  readonly charset: Charset;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
  /** Set on the last piece: the file ended, or went beyond its limit, or what follows is no text. */
  readonly end: 'file' | 'limit' | { readonly encoding: string } | undefined;
}

export interface TextOptions {
  readonly charset: Charset | undefined;
  /** At least 4, so that the first block holds a whole mark. */
  readonly blockBytes: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export async function* textPieces(body: AsyncIterable<Uint8Array>, options: TextOptions): AsyncGenerator<TextPiece> {
  let decoder: Decoder | undefined;
  let charset: Charset = 'utf-8';
  let bytesRead = 0;
  for await (const { bytes, end } of blocks(body, options.blockBytes, options.maxBytes, options.signal)) {
    bytesRead += bytes.length;
    if (decoder === undefined) {
      const choice = charsetOf(bytes, options.charset);
      charset = choice.charset;
      if (choice.fault !== undefined) {
        yield { text: Buffer.alloc(0), charset, bytesRead, end: { encoding: choice.fault } };
        return;
      }
      decoder = decoderOf(charset, choice.bigEndian);
    }
    // A character that the limit on bytes cuts in two is not the fault; the limit is.
    const text = decoder.decode(bytes, end === 'file');
    const forbidden = forbiddenCharacter(text, charset);
    if (forbidden !== undefined) {
      yield { text: text.subarray(0, forbidden.at), charset, bytesRead, end: { encoding: forbidden.message } };
      return;
    }
    yield { text, charset, bytesRead, end };
  }
}

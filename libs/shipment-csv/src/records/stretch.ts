import { CR, LF, QUOTE } from './bytes.js';

/**
 * Whole records at the front of the text. `plain` ones hold no quote. `quoted` ones may; `overlong` is a record of more than `maxRowBytes`,
 * whose end need not be there.
 */
export interface Stretch {
  readonly kind: 'plain' | 'quoted' | 'overlong';
  readonly to: number;
}

export interface StretchOptions {
  readonly maxRowBytes: number;
  /** Nothing comes after this text, so that a CR at its end is a whole line end. */
  readonly last: boolean;
  /** After a quoted record, so many bytes ahead must hold no quote for a plain stretch to begin; Infinity: everything is `quoted`. */
  readonly plainAheadBytes: number;
}

/**
 * The next stretch from `from`, or nothing when no record is whole yet. A line end is outside quotes when the number of quotes since the record's
 * start is even. That holds for every well-formed record (RFC 4180); for a malformed one the parser finds the fault
 * within the stretch, so that where it was cut no longer matters.
 */
export function nextStretch(text: Buffer, from: number, options: StretchOptions): Stretch | undefined {
  if (options.plainAheadBytes < Infinity) {
    const quote = text.indexOf(QUOTE, from);
    const to = afterLastLineEnd(text, from, quote < 0 ? text.length : quote, options.last);
    if (to > from) return { kind: 'plain', to };
    if (quote < 0) return pending(text, from, options) > options.maxRowBytes ? { kind: 'overlong', to: from } : undefined;
  }
  return quotedStretch(text, from, options);
}

function quotedStretch(text: Buffer, from: number, options: StretchOptions): Stretch | undefined {
  let inQuotes = false;
  let record = from;
  let nextQuote = from;
  for (let at = from; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if ((byte === LF || byte === CR) && !inQuotes) {
      if (at - record > options.maxRowBytes) break;
      if (byte === CR && at + 1 === text.length && !options.last) break;
      if (byte === CR && text[at + 1] === LF) at += 1;
      record = at + 1;
      if (options.plainAheadBytes === Infinity) continue;
      if (nextQuote < record) nextQuote = text.indexOf(QUOTE, record);
      if (nextQuote < 0 || nextQuote - record > options.plainAheadBytes) return { kind: 'quoted', to: record };
    }
  }
  if (record > from) return { kind: 'quoted', to: record };
  if (pending(text, from, options) > options.maxRowBytes) return { kind: 'overlong', to: from };
  // The last record ends with the text, so that an odd number of quotes is a fault that the parser will name.
  return options.last ? { kind: 'quoted', to: text.length } : undefined;
}

/** Bytes of an unfinished record. A CR at the end may turn out to be its line end, and then does not count. */
const pending = (text: Buffer, from: number, options: StretchOptions): number =>
  text.length - from - (!options.last && text[text.length - 1] === CR ? 1 : 0);

function afterLastLineEnd(text: Buffer, from: number, end: number, last: boolean): number {
  for (let at = end - 1; at >= from; at -= 1) {
    const byte = text[at];
    if (byte === LF || (byte === CR && (last || at + 1 < text.length))) return at + 1;
  }
  return from;
}

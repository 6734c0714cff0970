import { CR, LF, QUOTE } from './bytes.js';

/** Where the first record's content ends and the next record begins; nothing when its line end is not there yet. See nextStretch for the rule. */
export function firstRecordEnd(text: Buffer, last: boolean): { readonly content: number; readonly next: number } | undefined {
  let inQuotes = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if ((byte === LF || byte === CR) && !inQuotes) {
      if (byte === LF) return { content: at, next: at + 1 };
      if (at + 1 === text.length && !last) return undefined;
      return { content: at, next: text[at + 1] === LF ? at + 2 : at + 1 };
    }
  }
  return undefined;
}

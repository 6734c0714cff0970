import type { QuotingFault } from './parse-records.js';
import { parseRecords } from './parse-records.js';
import { CR, LF, QUOTE } from './bytes.js';

export type OverlongVerdict = { readonly code: 'LIMIT'; readonly linesBefore: number; readonly field: number | undefined } | { readonly code: 'QUOTING'; readonly fault: QuotingFault };

/**
 * Finds out why a record has no end within the longest that it may have: it is too long, or a quote was left open that swallows the file. The
 * second is by far the more common, and its owner needs the line where the quote opens; so the rest of the quoted field is looked through,
 * in constant memory, for the way in which it ends.
 */
export class OverlongRecord {
  readonly #open: QuotingFault;
  readonly #separator: number;
  #afterQuote = false;

  private constructor(open: QuotingFault, separator: number) {
    this.#open = open;
    this.#separator = separator;
  }

  /** `head` is the first `maxRowBytes` of the record. */
  static judge(head: Buffer, separator: string): OverlongVerdict | OverlongRecord {
    const { fault } = parseRecords(head, separator);
    if (fault === undefined) return { code: 'LIMIT', linesBefore: 0, field: undefined };
    return fault.problem === 'left open' ? new OverlongRecord(fault, separator.charCodeAt(0)) : { code: 'QUOTING', fault };
  }

  /** What comes after the head, piece by piece; nothing as long as the field goes on. */
  feed(text: Buffer): OverlongVerdict | undefined {
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at];
      if (this.#afterQuote && byte !== QUOTE) {
        if (byte === this.#separator || byte === LF || byte === CR) return this.closed();
        return { code: 'QUOTING', fault: { ...this.#open, problem: 'text after the closing quote' } };
      }
      if (byte === QUOTE) this.#afterQuote = !this.#afterQuote;
      else {
        const quote = text.indexOf(QUOTE, at);
        if (quote < 0) return undefined;
        at = quote - 1;
      }
    }
    return undefined;
  }

  /** The file ended. */
  finish(): OverlongVerdict {
    return this.#afterQuote ? this.closed() : { code: 'QUOTING', fault: this.#open };
  }

  /** The field is whole, and only too long; also the verdict when the reading ended for another reason. */
  closed(): OverlongVerdict {
    return { code: 'LIMIT', linesBefore: this.#open.linesBefore, field: this.#open.field };
  }
}

import type { FaultList } from '../faults/fault-list.js';
import { lineEndsIn } from '../records/line-ends.js';
import { firstRecordEnd } from '../records/first-record.js';
import type { Window } from '../records/window.js';
import type { Layout } from '../shipment.js';
import { maxRowBytes, type ShipmentLimits } from '../shipment-limits.js';
import type { Header } from './header.js';
import { readHeader } from './read-header.js';
import { declaredSeparator, isBlankLine } from './separator.js';

const byteOrderMark = Buffer.from('\ufeff');

/** Finds the header line: the first that is not blank, below a line `sep=…` if there is one. */
export class HeaderReading {
  readonly #limits: ShipmentLimits;
  readonly #layout: Layout;
  readonly #faults: FaultList;
  #line = 1;
  #first = true;
  #separator: string | undefined;

  constructor(limits: ShipmentLimits, layout: Layout, faults: FaultList) {
    this.#layout = layout;
    this.#limits = limits;
    this.#faults = faults;
  }

  /** Of the first line that is not judged yet; below the header line once that is read. */
  get line(): number {
    return this.#line;
  }

  /** The header, once all of it is there; nothing before that, and after a fault. */
  read(window: Window, last: boolean): Header | undefined {
    for (;;) {
      const text = window.bytes;
      const end = firstRecordEnd(text, last);
      // Without an end yet: the last byte may be the CR that ends it, which shows with the next one.
      if ((end?.content ?? (last ? text.length : text.length - 1)) > maxRowBytes(this.#limits)) {
        this.#faults.end(this.#line, '', 'LIMIT', `the header line is longer than ${maxRowBytes(this.#limits)} bytes, or a quote in it is left open`);
        return undefined;
      }
      if (end === undefined && !(last && text.length > 0)) return undefined;
      const record = Buffer.from(text.subarray(this.#first ? marks(text) : 0, end?.next ?? text.length));
      const header = this.#judge(record);
      this.#first = false;
      if (this.#faults.fatal) return undefined;
      this.#line += lineEndsIn(record);
      window.consume(end?.next ?? text.length);
      if (header !== undefined) return header;
    }
  }

  #judge(record: Buffer): Header | undefined {
    const line = record.toString().replace(/\r\n$|\n$|\r$/, '');
    if (isBlankLine(line)) return undefined;
    const declared = this.#separator === undefined ? declaredSeparator(line) : undefined;
    if (declared !== undefined) {
      if ('separator' in declared) this.#separator = declared.separator;
      else this.#faults.end(this.#line, '', 'HEADER', declared.fault);
      return undefined;
    }
    const header = readHeader(record, this.#separator, { maxColumns: this.#limits.maxColumns, layout: this.#layout });
    if ('width' in header) return header;
    this.#faults.end(this.#line + header.linesBefore, header.column, header.code, header.message);
    return undefined;
  }
}

/** Bytes of the byte order marks at the front: some tools write two. */
function marks(text: Buffer): number {
  let at = 0;
  while (text.subarray(at, at + byteOrderMark.length).equals(byteOrderMark)) at += byteOrderMark.length;
  return at;
}

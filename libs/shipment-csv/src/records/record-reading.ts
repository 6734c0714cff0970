import type { FaultList } from '../faults/fault-list.js';
import { type Header, nameOf } from '../header/header.js';
import { parsedRows } from '../rows/parsed-rows.js';
import { plainRows } from '../rows/plain-rows.js';
import { RowJudge } from '../rows/row-judge.js';
import { rowTooLong } from '../rows/row-too-long.js';
import type { RowSink } from '../rows/row-sink.js';
import { maxRowBytes, type ShipmentLimits } from '../shipment-limits.js';
import { OverlongRecord, type OverlongVerdict } from './overlong-record.js';
import { quotingMessage } from './quoting-message.js';
import { nextStretch } from './stretch.js';
import type { Window } from './window.js';

export interface RecordReadingOptions {
  readonly header: Header;
  readonly limits: ShipmentLimits;
  readonly faults: FaultList;
  readonly sink: RowSink<unknown>;
  readonly plainAheadBytes: number;
  /** Of the first record. */
  readonly line: number;
}

/** Reads the records below the header, stretch by stretch; what is not yet whole stays in the window. */
export class RecordReading {
  readonly judge: RowJudge;
  readonly #options: RecordReadingOptions;
  #line: number;
  #overlong: OverlongRecord | undefined;

  constructor(options: RecordReadingOptions) {
    this.judge = new RowJudge(options.header, options.limits, options.faults, options.sink);
    this.#options = options;
    this.#line = options.line;
  }

  /** Of the first record that is not judged yet. */
  get line(): number {
    return this.#line;
  }

  read(window: Window, last: boolean): void {
    const text = window.bytes;
    let from = this.#overlong === undefined ? 0 : this.#passOver(text, 0);
    while (!this.judge.faults.fatal && from < text.length) {
      const stretch = nextStretch(text, from, { maxRowBytes: maxRowBytes(this.judge.limits), last, plainAheadBytes: this.#options.plainAheadBytes });
      if (stretch === undefined) break;
      if (stretch.kind === 'plain') this.#line = plainRows(text, from, stretch.to, this.#line, this.judge);
      else if (stretch.kind === 'quoted') this.#line = parsedRows(text.subarray(from, stretch.to), this.#line, this.judge);
      from = stretch.kind === 'overlong' ? this.#beginOverlong(text, from) : stretch.to;
    }
    window.consume(from);
  }

  /** The file has ended, its last record being whole unless a quote in it was left open. */
  finish(): void {
    if (this.#overlong !== undefined) this.#settle(this.#overlong.finish());
  }

  /** Reading stops in the middle. */
  breakOff(): void {
    if (this.#overlong !== undefined) this.#settle(this.#overlong.closed());
  }

  #beginOverlong(text: Buffer, from: number): number {
    const head = from + maxRowBytes(this.judge.limits);
    const verdict = OverlongRecord.judge(text.subarray(from, head), this.judge.header.separator);
    if (!(verdict instanceof OverlongRecord)) {
      this.#settle(verdict);
      return from;
    }
    this.#overlong = verdict;
    return this.#passOver(text, head);
  }

  #passOver(text: Buffer, from: number): number {
    const verdict = this.#overlong?.feed(text.subarray(from));
    if (verdict !== undefined) this.#settle(verdict);
    return text.length;
  }

  #settle(verdict: OverlongVerdict): void {
    this.#overlong = undefined;
    if (verdict.code === 'LIMIT') rowTooLong(this.judge, this.#line + verdict.linesBefore, verdict.field);
    else this.judge.faults.end(this.#line + verdict.fault.linesBefore, nameOf(this.judge.header, verdict.fault.field), 'QUOTING', quotingMessage(verdict.fault));
  }
}

import { FaultList } from './faults/fault-list.js';
import { HeaderReading } from './header/header-reading.js';
import { ignoredColumns } from './header/header.js';
import { SUB } from './records/bytes.js';
import { lineEndsIn } from './records/line-ends.js';
import { RecordReading } from './records/record-reading.js';
import { Window } from './records/window.js';
import type { RowSink } from './rows/row-sink.js';
import type { Charset, Layout, ShipmentReport } from './shipment.js';
import type { ShipmentLimits } from './shipment-limits.js';
import type { TextPiece } from './text/text-pieces.js';

/**
 * Reads a shipment piece by piece: first the header line, then the rows. What it finds depends on the file only, not on where the pieces were cut.
 * States: header, rows, ended (after the last piece, or a fault that ends the reading).
 */
export class ShipmentReader {
  readonly #limits: ShipmentLimits;
  readonly #sink: RowSink<unknown>;
  readonly #plainAheadBytes: number;
  readonly #faults: FaultList;
  readonly #window = new Window();
  readonly #header: HeaderReading;
  #rows: RecordReading | undefined;
  #bytes = 0;
  #charset: Charset = 'utf-8';

  constructor({ limits, layout, sink, plainAheadBytes }: { readonly limits: ShipmentLimits; readonly layout: Layout; readonly sink: RowSink<unknown>; readonly plainAheadBytes: number }) {
    this.#limits = limits;
    this.#sink = sink;
    this.#plainAheadBytes = plainAheadBytes;
    this.#faults = new FaultList(limits.maxFaults);
    this.#header = new HeaderReading(limits, layout, this.#faults);
  }

  get rowsRead(): number {
    return this.#rows?.judge.rows ?? 0;
  }

  get faulty(): boolean {
    return this.#faults.count > 0;
  }

  /** Nothing more needs to be read. */
  get fatal(): boolean {
    return this.#faults.fatal;
  }

  take(piece: TextPiece): void {
    this.#bytes = piece.bytesRead;
    this.#charset = piece.charset;
    this.#window.append(piece.text);
    if (piece.end === 'file') this.#completeLastLine();
    this.#read(piece.end === 'file');
    if (this.fatal || piece.end === undefined) return;
    if (piece.end === 'file') this.#finish();
    else this.#breakOff(piece.end);
  }

  report(): ShipmentReport {
    const header = this.#rows?.judge.header;
    return {
      rows: this.rowsRead,
      rejectedRows: this.#rows?.judge.rejectedRows ?? 0,
      brokenOff: this.fatal,
      bytes: this.#bytes,
      zeroRows: this.#rows?.judge.zeroRows ?? 0,
      faults: this.#faults.listed,
      faultCount: this.#faults.count,
      separator: header?.separator ?? '',
      charset: this.#charset,
      ignoredColumns: header === undefined ? [] : ignoredColumns(header),
    };
  }

  #read(last: boolean): void {
    if (this.#rows === undefined) {
      const header = this.#header.read(this.#window, last);
      if (header === undefined) return;
      this.#rows = new RecordReading({ header, limits: this.#limits, faults: this.#faults, sink: this.#sink, plainAheadBytes: this.#plainAheadBytes, line: this.#header.line });
    }
    this.#rows.read(this.#window, last);
  }

  /** DOS ends a text with Ctrl-Z; and a last line may lack its line end. */
  #completeLastLine(): void {
    const text = this.#window.bytes;
    let end = text.length;
    while (end > 0 && text[end - 1] === SUB) end -= 1;
    this.#window.truncate(text.length - end);
    if (end > 0) this.#window.append(Buffer.from('\n'));
  }

  #finish(): void {
    this.#rows?.finish();
    if (this.fatal || this.rowsRead > 0) return;
    if (this.#rows === undefined) this.#faults.end(1, '', 'EMPTY', 'the file holds nothing: it needs a header line and at least one row');
    else this.#faults.end(1, '', 'EMPTY', 'the file has no rows below its header line');
  }

  #breakOff(end: Exclude<TextPiece['end'], undefined | 'file'>): void {
    this.#rows?.breakOff();
    if (this.fatal) return;
    const line = (this.#rows?.line ?? this.#header.line) + lineEndsIn(this.#window.bytes);
    if (end === 'limit') this.#faults.end(line, '', 'LIMIT', `the file is larger than ${this.#limits.maxBytes} bytes: split it`);
    else this.#faults.end(line, '', 'ENCODING', end.encoding);
  }
}

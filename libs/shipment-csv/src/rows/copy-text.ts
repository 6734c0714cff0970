import type { Layout, Operation } from '../shipment.js';
import type { RowSink } from './row-sink.js';

const tab = 0x09;
const lf = 0x0a;
const zero = 0x30;
const minus = 0x2d;
const yes = 0x74;
const no = 0x66;
/** Line number, quantity with its sign, warehouse, whether it sets, four tabs, line end. */
const longestWithoutSku = 16 + 11 + 63 + 1 + 5;

/**
 * Rows as `line\tsku\tquantity\n`, in the layout WAREHOUSES with `\twarehouse\tsets` before the line end, in the text format of PostgreSQL's COPY ("Text Format" in its manual): a backslash is doubled, which is all that an SKU
 * without control characters needs.
 */
export class CopyText implements RowSink<Buffer> {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  row(line: number, sku: string, quantity: number, warehouse: string, operation: Operation): void {
    const escaped = Buffer.from(sku.includes('\\') ? sku.replaceAll('\\', '\\\\') : sku);
    this.plainRow(line, escaped, 0, escaped.length, quantity);
    if (this.#layout === 'warehouses') this.#where(warehouse, operation === 'set');
  }

  plainRow(line: number, text: Buffer, from: number, to: number, quantity: number): void {
    if (this.#length + to - from + longestWithoutSku > this.#buffer.length) this.#grow(to - from);
    const buffer = this.#buffer;
    let at = writeDigits(buffer, this.#length, line);
    buffer[at++] = tab;
    for (let byte = from; byte < to; byte += 1) buffer[at++] = text[byte] ?? 0;
    buffer[at++] = tab;
    if (quantity < 0) buffer[at++] = minus;
    at = writeDigits(buffer, at, Math.abs(quantity));
    buffer[at++] = lf;
    this.#length = at;
  }

  take(): Buffer | undefined {
    if (this.#length === 0) return undefined;
    // The receiver may keep what it gets, so that the next batch has a buffer of its own.
    const taken = this.#buffer.subarray(0, this.#length);
    this.#buffer = Buffer.allocUnsafeSlow(this.#buffer.length);
    this.#length = 0;
    return taken;
  }

  /** Behind a row, before its line end, for which and for this plainRow made room. */
  #where(warehouse: string, sets: boolean): void {
    const buffer = this.#buffer;
    let at = this.#length - 1;
    buffer[at++] = tab;
    at += buffer.write(warehouse, at, 'latin1');
    buffer[at++] = tab;
    buffer[at++] = sets ? yes : no;
    buffer[at++] = lf;
    this.#length = at;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * this.#buffer.length + needed);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Writes a whole number of at least 0 in decimal; answers where it ends. */
function writeDigits(buffer: Buffer, from: number, value: number): number {
  let size = 1;
  for (let limit = 10; value >= limit; limit *= 10) size += 1;
  let rest = value;
  for (let at = from + size - 1; at >= from; at -= 1) {
    const next = Math.floor(rest / 10);
    buffer[at] = zero + rest - 10 * next;
    rest = next;
  }
  return from + size;
}

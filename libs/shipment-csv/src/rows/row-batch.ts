import type { Layout, Operation, ShipmentRow } from '../shipment.js';
import type { RowSink } from './row-sink.js';

/** Rows as objects. */
export class RowBatch implements RowSink<readonly ShipmentRow[]> {
  readonly #layout: Layout;
  #rows: ShipmentRow[] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  row(line: number, sku: string, quantity: number, warehouse: string, operation: Operation): void {
    this.#rows.push(this.#layout === 'single' ? { line, sku, quantity } : { line, sku, quantity, warehouse, operation });
  }

  plainRow(line: number, text: Buffer, from: number, to: number, quantity: number): void {
    this.#rows.push({ line, sku: text.toString('latin1', from, to), quantity });
  }

  take(): readonly ShipmentRow[] | undefined {
    if (this.#rows.length === 0) return undefined;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

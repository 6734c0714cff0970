import type { Operation } from '../shipment.js';

/** Takes the good rows, in the order of the file. */
export interface RowSink<Batch> {
  row(line: number, sku: string, quantity: number, warehouse: string, operation: Operation): void;
  /** As `row`, an adjustment in the default warehouse, for the SINGLE layout only; the SKU is given as bytes of ASCII without control characters and backslashes, `from` to `to` of the text. */
  plainRow(line: number, text: Buffer, from: number, to: number, quantity: number): void;
  /** What has come since the last call; nothing if no row has. */
  take(): Batch | undefined;
}

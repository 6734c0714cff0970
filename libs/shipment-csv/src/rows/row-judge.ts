import type { FaultCode, Operation } from '../shipment.js';
import type { ShipmentLimits } from '../shipment-limits.js';
import { type Header, nameOf } from '../header/header.js';
import type { FaultList } from '../faults/fault-list.js';
import { excerpt } from '../faults/excerpt.js';
import { operationFault, operationOf, quantityFaultOf } from './operation.js';
import { quantityOf } from './quantity.js';
import type { RowSink } from './row-sink.js';
import { skuFault } from './sku.js';
import { warehouseFault } from './warehouse.js';

/** Judges rows by the contract: good ones go to the sink, the others to the list of faults. */
export class RowJudge {
  readonly header: Header;
  readonly limits: ShipmentLimits;
  readonly faults: FaultList;
  readonly sink: RowSink<unknown>;
  #rows = 0;
  #zeroRows = 0;
  #rejectedRows = 0;

  constructor(header: Header, limits: ShipmentLimits, faults: FaultList, sink: RowSink<unknown>) {
    this.header = header;
    this.limits = limits;
    this.faults = faults;
    this.sink = sink;
  }

  get rows(): number {
    return this.#rows;
  }

  get zeroRows(): number {
    return this.#zeroRows;
  }

  /** Rows with a fault that did not end the reading. */
  get rejectedRows(): number {
    return this.#rejectedRows;
  }

  /** Any record, as its fields. */
  record(line: number, fields: readonly string[]): void {
    // One rule for blank lines, lines of spaces, and lines of separators: nothing in any field.
    if (fields.every((field) => field.trim() === '') || !this.#counted(line)) return;
    const before = this.faults.count;
    this.#judge(line, fields);
    if (this.faults.count > before && !this.faults.fatal) this.#rejectedRows += 1;
  }

  #judge(line: number, fields: readonly string[]): void {
    if (!this.#hasTheHeadersShape(line, fields) || !this.#hasShortFields(line, fields)) return;
    const before = this.faults.count;
    const { warehouses } = this.header;
    const sku = fields[this.header.sku] ?? '';
    const wrongSku = skuFault(sku);
    if (wrongSku !== undefined) this.#fault(line, this.header.sku, 'SKU', wrongSku);
    const quantity = quantityOf(fields[this.header.quantity] ?? '');
    if (typeof quantity === 'string') this.#fault(line, this.header.quantity, 'QUANTITY', quantity);
    const warehouse = warehouses === undefined ? '' : (fields[warehouses.warehouse] ?? '');
    const operation = warehouses === undefined ? 'adjust' : this.#operation(line, warehouses.operation, fields[warehouses.operation] ?? '');
    const wrongWarehouse = warehouseFault(warehouse);
    if (warehouses !== undefined && wrongWarehouse !== undefined) this.#fault(line, warehouses.warehouse, 'WAREHOUSE', wrongWarehouse);
    if (typeof quantity === 'string' || operation === undefined) return;
    const forbidden = quantityFaultOf(operation, quantity);
    if (forbidden !== undefined) this.#fault(line, this.header.quantity, 'QUANTITY', forbidden);
    if (this.faults.count > before) return;
    if (quantity === 0 && operation !== 'set') this.#zeroRows += 1;
    this.sink.row(line, sku, quantity, warehouse, operation);
  }

  #operation(line: number, column: number, field: string): Operation | undefined {
    const operation = operationOf(field);
    if (operation === undefined) this.#fault(line, column, 'OPERATION', operationFault(field));
    return operation;
  }

  #fault(line: number, column: number, code: FaultCode, message: string): void {
    this.faults.add(line, nameOf(this.header, column), code, message);
  }

  /** A record of the SINGLE layout that is known to be good: as wide as the header, of short fields, its SKU being plain ASCII without backslashes. */
  plain(line: number, text: Buffer, from: number, to: number, quantity: number): void {
    if (!this.#counted(line)) return;
    if (quantity === 0) this.#zeroRows += 1;
    this.sink.plainRow(line, text, from, to, quantity);
  }

  #counted(line: number): boolean {
    if (this.#rows === this.limits.maxRows) {
      this.faults.end(line, '', 'LIMIT', `the file has more than ${this.limits.maxRows} rows: split it`);
      return false;
    }
    this.#rows += 1;
    return true;
  }

  #hasTheHeadersShape(line: number, fields: readonly string[]): boolean {
    const { width, names } = this.header;
    if (fields.length !== width) {
      this.faults.add(line, '', 'RAGGED', `the row has ${fields.length} fields, but the header line has ${width}: fill in what is missing, or put a field that holds the separator in quotes`);
      return false;
    }
    const extra = fields.findIndex((field, column) => column >= names.length && field.trim() !== '');
    if (extra < 0) return true;
    this.faults.add(line, '', 'RAGGED', `field ${extra + 1}, ${excerpt(fields[extra] ?? '')}, stands below a column without a name: name the column, or remove the field`);
    return false;
  }

  #hasShortFields(line: number, fields: readonly string[]): boolean {
    const { maxFieldBytes } = this.limits;
    const long = fields.findIndex((field) => 3 * field.length > maxFieldBytes && Buffer.byteLength(field) > maxFieldBytes);
    if (long < 0) return true;
    this.faults.end(line, nameOf(this.header, long), 'LIMIT', `the field is longer than ${maxFieldBytes} bytes: shorten it, or leave the column out`);
    return false;
  }
}

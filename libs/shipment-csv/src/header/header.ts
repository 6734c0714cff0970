import { shortened } from '../faults/excerpt.js';
import type { Layout } from '../shipment.js';

/** What the header line says, and where the columns stand that are read. */
export interface Header {
  readonly separator: string;
  /** As in the file, trimmed; unnamed columns at the end are not in it. */
  readonly names: readonly string[];
  /** Fields that each row must have, unnamed columns included. */
  readonly width: number;
  readonly sku: number;
  readonly quantity: number;
  /** The layout WAREHOUSES only. */
  readonly warehouses: { readonly warehouse: number; readonly operation: number } | undefined;
}

/** The columns that a layout reads, folded: each must be in the header line. */
export const columnsOf = (layout: Layout): readonly string[] => (layout === 'single' ? ['sku', 'quantity'] : ['sku', 'quantity', 'warehouse', 'operation']);

export const foldedName = (name: string): string => name.trim().toLowerCase();

/** Names as they stand in the header line; a column beyond them has none. */
export const nameOf = (header: Header, column: number): string => header.names[column] ?? '';

export const ignoredColumns = (header: Header): string[] =>
  header.names.filter((_, column) => ![header.sku, header.quantity, header.warehouses?.warehouse, header.warehouses?.operation].includes(column)).map(shortened);

import { shortened } from '../faults/excerpt.js';

/** What the header line says, and where the two columns stand that are read. */
export interface Header {
  readonly separator: string;
  /** As in the file, trimmed; unnamed columns at the end are not in it. */
  readonly names: readonly string[];
  /** Fields that each row must have, unnamed columns included. */
  readonly width: number;
  readonly sku: number;
  readonly quantity: number;
}

export const foldedName = (name: string): string => name.trim().toLowerCase();

/** Names as they stand in the header line; a column beyond them has none. */
export const nameOf = (header: Header, column: number): string => header.names[column] ?? '';

export const ignoredColumns = (header: Header): string[] =>
  header.names.filter((_, column) => column !== header.sku && column !== header.quantity).map(shortened);

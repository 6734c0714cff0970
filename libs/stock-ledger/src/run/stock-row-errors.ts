import type { RowError } from '../journal/runs.js';
import type { StockFault } from './import-run.js';

const longestExcerpt = 64;

/** What stock cannot take, told as faults of the file in its order, in the same words by whoever asks. They hold at most 64 characters of a SKU. */
export const stockRowErrors = (faults: readonly StockFault[]): RowError[] =>
  faults.toSorted((a, b) => a.line - b.line).map((fault) => ({ line: fault.line, column: 'quantity', code: fault.code, message: messageOf(fault) }));

function messageOf({ code, sku, inStock, change }: StockFault): string {
  const name = JSON.stringify(Array.from(sku).slice(0, longestExcerpt).join(''));
  return code === 'NEGATIVE_STOCK'
    ? `the file takes ${-change} of ${name} in all, and ${inStock} are in stock: lower the quantity, or bring in stock first`
    : `${inStock} of ${name} are in stock, and with the ${change} of this file there would be more than the ledger can count`;
}

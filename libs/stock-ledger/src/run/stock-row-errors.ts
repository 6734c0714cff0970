import type { RowError } from '../journal/runs.js';
import type { StockFault } from './import-run.js';

const longestExcerpt = 64;

/** For format() of the database, which writes those of a partial batch in the transaction that applies it, and for here: 1 the SKU and where it lies, 2 what is added or taken, 3 what there is. */
export const stockWords = {
  NEGATIVE_STOCK: 'the file takes %2$s of %1$s in all, and %3$s are in stock: lower the quantity, or bring in stock first',
  NEGATIVE_AFTER_SET: 'the file takes %2$s of %1$s after it has set the stock to %3$s: lower the quantity, or set more',
  LIMIT: '%3$s of %1$s are in stock, and with the %2$s of this file there would be more than the ledger can count',
} as const;

/** What stock cannot take, told as faults of the file in its order, in the same words by whoever asks. They hold at most 64 characters of a SKU. */
export const stockRowErrors = (faults: readonly StockFault[]): RowError[] =>
  faults.toSorted((a, b) => a.line - b.line).map((fault) => ({ line: fault.line, column: 'quantity', code: fault.code, message: messageOf(fault) }));

function messageOf({ code, warehouse, sku, setTo, inStock, change }: StockFault): string {
  const name = JSON.stringify(Array.from(sku).slice(0, longestExcerpt).join(''));
  const values = [warehouse === '' ? name : `${name} in ${warehouse}`, String(change < 0n ? -change : change), String(setTo ?? inStock)];
  const words = stockWords[code === 'NEGATIVE_STOCK' && setTo !== undefined ? 'NEGATIVE_AFTER_SET' : code];
  return words.replaceAll(/%([123])\$s/g, (_, place: string) => values[Number(place) - 1] ?? '');
}

import { plainTable } from '../photos/report.js';
import type { Colours } from '../terminal.js';
import type { Stock } from './stock.js';

const shownSkus = 3;

/** Stock before and after: some SKUs, and all of them. The last column is the file's own sum, which the difference must be. */
export function stockTable(before: Stock, after: Stock, gains: ReadonlyMap<string, bigint>, colours: Colours): string {
  const skus = [...gains.keys()];
  const row = (label: string, of: readonly string[]): string[] => {
    const [from, to, gain] = [before.quantities, after.quantities, gains].map((amounts) => of.reduce((sum, sku) => sum + (amounts.get(sku) ?? 0n), 0n));
    return [label, number(from), number(to), number(gain, '+')];
  };
  const rows = [...skus.slice(0, shownSkus).map((sku) => row(sku, [sku])), row(`all ${skus.length}`, skus)];
  return plainTable(['stock', `${'before'.padStart(width)}`, `${'after'.padStart(width)}`, `${'in the file'.padStart(width)}`], rows, colours);
}

const width = 11;
const number = (amount = 0n, sign = ''): string => `${amount > 0n ? sign : ''}${amount.toLocaleString('en')}`.padStart(width);

import type { ImportLayout } from '../journal/import-record.js';
import type { LedgerRow } from './import-run.js';

const special = /[\\\t\n\r]/;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A field of COPY's text format. Source: PostgreSQL's manual, COPY, "Text Format". */
export const copyField = (text: string): string => (special.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (c) => escapes[c] ?? c) : text);

/** Batches of rows as COPY's text format: `line`, `sku`, `quantity`, in the layout WAREHOUSES `warehouse` and `sets`. A chunk per batch: the memory is that of one batch. */
export async function* copyText(batches: AsyncIterable<readonly LedgerRow[]> | Iterable<readonly LedgerRow[]>, layout: ImportLayout): AsyncGenerator<Buffer> {
  for await (const rows of batches) {
    let text = '';
    for (const { line, sku, quantity, warehouse = '', sets = false } of rows) {
      text += `${line}\t${copyField(sku)}\t${quantity}${layout === 'single' ? '' : `\t${copyField(warehouse)}\t${sets ? 't' : 'f'}`}\n`;
    }
    if (text !== '') yield Buffer.from(text);
  }
}

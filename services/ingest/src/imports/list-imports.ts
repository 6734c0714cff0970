import pLimit from 'p-limit';
import type { ImportState, RowError } from '@leasehold/stock-ledger';
import { namespaceIn } from '../files/named.js';
import { page, type PageRequest } from '../pages/page.js';
import { importNamed } from './named.js';
import type { ImportParts } from './parts.js';
import { importName } from './resource-name.js';
import { stored, type ShownImport } from './shown-import.js';

const lookedUpAtOnce = 3;
const sizes = { byDefault: 50, most: 500 };
const rowErrorSizes = { byDefault: 100, most: 100 };

/** A page of the journal, newest first, without progress. No states: all. */
export async function listImports(parts: ImportParts, request: PageRequest & { readonly parent: string; readonly states: readonly ImportState[] }): Promise<{ imports: ShownImport[]; nextPageToken: string }> {
  const namespace = namespaceIn(request.parent);
  const states = [...new Set(request.states)].toSorted();
  const { items, nextPageToken } = await page(
    { tokens: parts.pageTokens, list: ['imports', namespace, states], request, sizes, positionOf: ({ seq }: ShownImport['record']) => String(seq) },
    (after, limit) => parts.ledger.list(namespace, { states, limit, beforeSeq: after === undefined ? undefined : BigInt(after) }),
  );
  // A page of refused imports asks for the faults of each; a few at a time, so that one caller does not take every connection.
  const few = pLimit(lookedUpAtOnce);
  return { imports: await Promise.all(items.map((record) => few(() => stored(record, parts)))), nextPageToken };
}

/** Why a file was refused, in its order; of the latest generation, also when it was archived. */
export async function listRowErrors(parts: ImportParts, request: PageRequest & { readonly parent: string }): Promise<{ rowErrors: RowError[]; nextPageToken: string }> {
  const record = await importNamed(parts.ledger, request.parent, 'parent');
  const { items, nextPageToken } = await page(
    { tokens: parts.pageTokens, list: ['row errors', importName(record), String(record.generation)], request, sizes: rowErrorSizes, positionOf: ({ position }: RowError & { position: number }) => String(position) },
    (after, limit) => parts.ledger.rowErrors(record, { limit, ...(after === undefined ? {} : { afterPosition: Number(after) }) }),
  );
  return { rowErrors: items, nextPageToken };
}

import { createHash } from 'node:crypto';
import { GetStockResponse, ListStockResponse, type StockItem as StockItemMessage } from '@leasehold/ingest-v1';
import type { Logger } from '@leasehold/service';
import { isWarehouse } from '@leasehold/shipment-csv';
import type { Catalogue, Ledger, StockItem } from '@leasehold/stock-ledger';
import { invalid } from '../faults.js';
import { namespaceIn } from '../files/named.js';
import { page, type PageRequest } from '../pages/page.js';
import type { PageTokens } from '../pages/page-token.js';
import type { StockCache } from './stock-cache.js';

export interface StockParts {
  readonly ledger: Ledger;
  readonly pageTokens: PageTokens;
  /** Undefined: every read asks PostgreSQL. */
  readonly cache: StockCache | undefined;
  readonly logger: Logger;
}

const mostSkus = 500;
const longestSkuBytes = 1024;
const sizes = { byDefault: 100, most: 1000 };

/** Some SKUs, all of one catalogue generation. */
export async function getStock(parts: StockParts, request: { readonly parent: string; readonly skus: readonly string[]; readonly warehouse: string }): Promise<GetStockResponse> {
  const namespace = namespaceIn(request.parent);
  const skus = [...new Set(request.skus)];
  if (skus.length < 1 || skus.length > mostSkus) throw invalid('skus', `must hold 1 to ${mostSkus}`);
  const { warehouse } = request;
  checkWarehouse(warehouse);
  for (const [at, sku] of request.skus.entries()) checkText(`skus[${at}]`, sku);
  return cached(parts, namespace, ['get', ...skus, ...elsewhere(warehouse)], GetStockResponse, async () => {
    const { catalogue, items } = await parts.ledger.stock(namespace, skus, warehouse);
    const found = new Map(items.map((item) => [item.sku, item]));
    return GetStockResponse.create({ catalogue, items: skus.flatMap((sku) => found.get(sku) ?? []).map(itemMessage), missing: skus.filter((sku) => !found.has(sku)) });
  });
}

/** A page of all stock in the order of the SKUs' bytes. Each page is of one catalogue generation, which it names; a later page may be of a later one. */
export async function listStock(parts: StockParts, request: PageRequest & { readonly parent: string; readonly skuPrefix: string; readonly warehouse: string }): Promise<ListStockResponse> {
  const namespace = namespaceIn(request.parent);
  checkText('sku_prefix', request.skuPrefix);
  const { warehouse } = request;
  checkWarehouse(warehouse);
  return cached(parts, namespace, ['list', request.skuPrefix, String(request.pageSize), request.pageToken, ...elsewhere(warehouse)], ListStockResponse, async () => {
    let catalogue: Catalogue | undefined;
    const { items, nextPageToken } = await page(
      { tokens: parts.pageTokens, list: ['stock', namespace, request.skuPrefix, ...elsewhere(warehouse)], request, sizes, positionOf: ({ sku }: StockItem) => sku },
      async (after, limit) => {
        const read = await parts.ledger.listStock(namespace, { warehouse, prefix: request.skuPrefix, limit, ...(after === undefined ? {} : { afterSku: after }) });
        catalogue = read.catalogue;
        return read.items;
      },
    );
    return ListStockResponse.create({ items: items.map(itemMessage), nextPageToken, catalogue });
  });
}

interface Codec<M> {
  encode(message: M): { finish(): Uint8Array };
  decode(bytes: Uint8Array): M;
}

/**
 * An answer of the present tag from the cache, else read anew. What is kept lies under the tag that was read in one statement with the stock itself; an answer that was kept before a restore
 * has a tag that no catalogue has any more.
 */
async function cached<M extends { catalogue?: Catalogue | undefined }>({ cache, ledger, logger }: StockParts, namespace: string, question: readonly string[], codec: Codec<M>, read: () => Promise<M>): Promise<M> {
  if (cache === undefined) return read();
  // No SKUs: the catalogue alone.
  const { catalogue: { tag } } = await ledger.stock(namespace, []);
  const kept = tag === '' ? undefined : await cache.get(keyOf(namespace, tag, question));
  if (kept !== undefined) {
    try {
      return codec.decode(kept);
    } catch (error) {
      logger.warn({ event: 'stock_cache_unreadable', reason: error instanceof Error ? error.name : 'unknown' }, 'read anew');
    }
  }
  const answer = await read();
  const of = answer.catalogue?.tag ?? '';
  if (of !== '') cache.put(keyOf(namespace, of, question), codec.encode(answer).finish());
  return answer;
}

const keyOf = (namespace: string, tag: string, question: readonly string[]): string =>
  `leasehold:{stock:${namespace}}:${tag}:${createHash('sha256').update(JSON.stringify(question)).digest('base64url')}`;

const itemMessage = ({ sku, quantity, updateTime, warehouse }: StockItem): StockItemMessage => ({ sku, quantity, updateTime, warehouse });

/** What a question about another warehouse than the default one says beyond it. NUL: no SKU and no token has one. */
const elsewhere = (warehouse: string): string[] => (warehouse === '' ? [] : [`\0${warehouse}`]);

function checkWarehouse(warehouse: string): void {
  if (!isWarehouse(warehouse)) throw invalid('warehouse', 'must be of the form [A-Za-z0-9][A-Za-z0-9._-]{0,62}, or empty for the default one');
}

/** No database takes NUL, and no SKU is longer. */
function checkText(field: string, text: string): void {
  if (text.includes('\0') || Buffer.byteLength(text) > longestSkuBytes) throw invalid(field, `must be text without NUL of at most ${longestSkuBytes} bytes`);
}

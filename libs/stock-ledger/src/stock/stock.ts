import { sql, type Transaction } from '@leasehold/postgres';
import type { StockFault } from '../run/import-run.js';

const statements = { get: sql(import.meta.url, 'get'), list: sql(import.meta.url, 'list'), preview: sql(import.meta.url, 'preview') };

/** Which state of the stock an answer shows: `tag` is random and of this generation. Before the first import: 0 and empty. */
export interface Catalogue {
  readonly generation: bigint;
  readonly tag: string;
}

export interface StockItem {
  readonly sku: string;
  readonly quantity: bigint;
  /** When an import last changed it. */
  readonly updateTime: Date;
}

/** Of one state, in the order of the SKUs' bytes. */
export interface StockRead {
  readonly catalogue: Catalogue;
  readonly items: readonly StockItem[];
}

/** What a batch comes to for one SKU. */
export interface StockChange {
  /** The first line that names it. */
  readonly line: number;
  readonly sku: string;
  readonly change: bigint;
}

interface StockRow {
  generation: bigint | null;
  tag: string | null;
  sku: string | null;
  quantity: bigint | null;
  update_time: Date | null;
}

const readOf = (rows: readonly StockRow[]): StockRead => ({
  catalogue: { generation: rows[0]?.generation ?? 0n, tag: rows[0]?.tag ?? '' },
  items: rows.flatMap(({ sku, quantity, update_time: updateTime }) => (sku === null || quantity === null || updateTime === null ? [] : [{ sku, quantity, updateTime }])),
});

export async function stock(db: Transaction, namespace: string, skus: readonly string[]): Promise<StockRead> {
  const { catalogue, items } = readOf(await db.query<StockRow>(statements.get, [namespace, [...new Set(skus)]]));
  return { catalogue, items: items.toSorted((a, b) => Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku))) };
}

export async function listStock(db: Transaction, namespace: string, page: { prefix?: string; afterSku?: string; limit: number }): Promise<StockRead> {
  return readOf(await db.query<StockRow>(statements.list, [namespace, page.prefix ?? '', page.afterSku ?? '', page.limit]));
}

interface PreviewRow {
  line: number;
  sku: string;
  in_stock: bigint;
  change: bigint;
  fault_count: bigint;
}

export async function preview(db: Transaction, namespace: string, changes: Iterable<StockChange>, maxFaults: number): Promise<{ faults: StockFault[]; faultCount: bigint }> {
  const faults: StockFault[] = [];
  let faultCount = 0n;
  for (const some of chunks(changes)) {
    const rows = await db.query<PreviewRow>(statements.preview, [namespace, some.map((c) => c.line), some.map((c) => c.sku), some.map((c) => c.change), maxFaults]);
    faultCount += rows[0]?.fault_count ?? 0n;
    for (const { line, sku, in_stock: inStock, change } of rows) faults.push({ code: 'NEGATIVE_STOCK', line, sku, inStock, change });
    faults.sort((a, b) => a.line - b.line).splice(maxFaults);
  }
  return { faults, faultCount };
}

/** Only what takes from stock can leave too little of it. */
function* chunks(changes: Iterable<StockChange>): Generator<StockChange[]> {
  let some: StockChange[] = [];
  for (const change of changes) {
    if (change.change >= 0n) continue;
    some.push(change);
    if (some.length === 10_000) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
}

import { sql, type Transaction } from '@leasehold/postgres';
import type { StockFault } from '../run/import-run.js';

const statements = { get: sql(import.meta.url, 'get'), list: sql(import.meta.url, 'list'), preview: sql(import.meta.url, 'preview') };

/** Which state of the stock an answer shows: `tag` is random and of this generation. Before the first import: 0 and empty. */
export interface Catalogue {
  readonly generation: bigint;
  readonly tag: string;
}

export interface StockItem {
  /** Empty: the default one. */
  readonly warehouse: string;
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

/** What a batch comes to for one SKU in one warehouse. */
export interface StockChange {
  /** The first line that names it. */
  readonly line: number;
  /** Left out or empty: the default one. */
  readonly warehouse?: string;
  readonly sku: string;
  /** What the last row that sets has set; left out: none does. */
  readonly setTo?: bigint | undefined;
  /** What its rows add, those before one that sets left out. */
  readonly change: bigint;
}

/** A page of one warehouse's stock: of all whose SKU begins with `prefix`; `afterSku` continues after that one. */
export interface StockPage {
  /** Left out or empty: the default one. */
  readonly warehouse?: string;
  readonly prefix?: string;
  readonly afterSku?: string;
  readonly limit: number;
}

interface StockRow {
  generation: bigint | null;
  tag: string | null;
  warehouse: string | null;
  sku: string | null;
  quantity: bigint | null;
  update_time: Date | null;
}

const readOf = (rows: readonly StockRow[]): StockRead => ({
  catalogue: { generation: rows[0]?.generation ?? 0n, tag: rows[0]?.tag ?? '' },
  items: rows.flatMap(({ warehouse, sku, quantity, update_time: updateTime }) => (warehouse === null || sku === null || quantity === null || updateTime === null ? [] : [{ warehouse, sku, quantity, updateTime }])),
});

export async function stock(db: Transaction, namespace: string, skus: readonly string[], warehouse: string): Promise<StockRead> {
  const { catalogue, items } = readOf(await db.query<StockRow>(statements.get, [namespace, [...new Set(skus)], warehouse]));
  return { catalogue, items: items.toSorted((a, b) => Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku))) };
}

export async function listStock(db: Transaction, namespace: string, page: StockPage): Promise<StockRead> {
  return readOf(await db.query<StockRow>(statements.list, [namespace, page.prefix ?? '', page.afterSku ?? '', page.limit, page.warehouse ?? '']));
}

/** What applying some changes now would come to. */
export interface Preview<C extends StockChange> {
  /** By line, at most as many as were asked for; `faultCount`: all. */
  readonly faults: readonly StockFault[];
  readonly faultCount: bigint;
  /** The changes that stock cannot take. */
  readonly refused: ReadonlySet<C>;
  /** Of the others, what those that set would bring and take by that alone. */
  readonly setIn: bigint;
  readonly setOut: bigint;
}

const mostUnits = 9_223_372_036_854_775_807n;

export async function preview<C extends StockChange>(db: Transaction, namespace: string, changes: Iterable<C>, maxFaults: number): Promise<Preview<C>> {
  const faults: StockFault[] = [];
  const refused = new Set<C>();
  let [setIn, setOut] = [0n, 0n];
  for (const some of chunks(changes)) {
    const rows = await db.query<{ in_stock: bigint }>(statements.preview, [namespace, some.map((c) => c.warehouse ?? ''), some.map((c) => c.sku)]);
    for (const [at, asked] of some.entries()) {
      const { line, warehouse = '', sku, setTo, change } = asked;
      const inStock = rows[at]?.in_stock ?? 0n;
      const outcome = (setTo ?? inStock) + change;
      if (outcome < 0n || outcome > mostUnits) {
        refused.add(asked);
        faults.push({ code: outcome < 0n ? 'NEGATIVE_STOCK' : 'LIMIT', line, warehouse, sku, setTo, inStock, change });
      } else if (setTo !== undefined) {
        if (setTo > inStock) setIn += setTo - inStock;
        else setOut += inStock - setTo;
      }
    }
    faults.sort((a, b) => a.line - b.line).splice(maxFaults);
  }
  return { faults, faultCount: BigInt(refused.size), refused, setIn, setOut };
}

/** Only what takes from stock can leave too little of it, and only what sets needs to be compared. */
function* chunks<C extends StockChange>(changes: Iterable<C>): Generator<C[]> {
  let some: C[] = [];
  for (const change of changes) {
    if (change.change >= 0n && change.setTo === undefined) continue;
    some.push(change);
    if (some.length === 10_000) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
}

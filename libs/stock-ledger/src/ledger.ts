import { sql, type Database, type Transaction } from '@leasehold/postgres';
import { archive, type ArchiveRun } from './archive/archive.js';
import { forgetExpired } from './idempotency/term.js';
import { accept, type AcceptVerdict, type Submission } from './journal/accept.js';
import { importOf, type ImportId, type ImportRecord, type ImportRow, type ImportState } from './journal/import-record.js';
import { cancel, retry, settle, type CancelVerdict, type RetryVerdict, type SettledJob, type SettleVerdict } from './journal/outcomes.js';
import { find } from './journal/rows.js';
import { begin, reject, type BeginVerdict, type Refusal, type RejectVerdict, type RowError, type RunIdentity } from './journal/runs.js';
import { ImportRun, type RunOptions } from './run/import-run.js';
import { listStock, preview, stock, type Preview, type StockChange, type StockPage, type StockRead } from './stock/stock.js';

const statements = {
  list: sql(import.meta.url, 'journal/list'), rowErrors: sql(import.meta.url, 'journal/row-errors'), countAccepted: sql(import.meta.url, 'journal/count-accepted'),
  moves: sql(import.meta.url, 'journal/moves'), imbalance: sql(import.meta.url, 'stock/imbalance'),
};

/** What a batch changed of one SKU in one warehouse. */
export interface StockMove {
  /** Empty: the default one. */
  readonly warehouse: string;
  readonly sku: string;
  readonly quantity: bigint;
  /** The first line of the file that names it, and how many rows do. */
  readonly line: number;
  readonly rowCount: number;
}

/** An import, or none where the verdict is `unknown`. */
interface Answer<V> {
  readonly verdict: V;
  readonly import: ImportRecord | undefined;
}

/**
 * The journal of imports and the stock that they change. Every change of a batch is one statement whose conditions hold behind its row's lock. What takes a
 * `tx` runs in that transaction, so that its caller's own rows change with it; without one, in its own.
 */
export class Ledger {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes a submission, once however often it is repeated. */
  async accept(submission: Submission, tx: Transaction = this.#db): Promise<{ verdict: AcceptVerdict; import: ImportRecord }> {
    return accept(tx, submission);
  }

  /** Stamps a run's fence on its batch, only upwards: from here on no run with a smaller one applies. A repeat answers the same. */
  async begin(run: RunIdentity): Promise<Answer<BeginVerdict>> {
    return begin(this.#db, run);
  }

  /** A run's rows and its apply, on a connection of its own. @throws LedgerAway */
  async openRun(run: RunIdentity, o: RunOptions = {}): Promise<ImportRun> {
    return ImportRun.open(this.#db, run, o);
  }

  /** A run's own verdict on the content. A repeat answers the same. */
  async reject(run: RunIdentity, refusal: Refusal): Promise<Answer<RejectVerdict>> {
    return reject(this.#db, run, refusal);
  }

  /** What a coordinator's outcome proposes. A repeat, and outcomes in any order, come to the same. */
  async settle(job: SettledJob, tx: Transaction = this.#db): Promise<Answer<SettleVerdict>> {
    return settle(tx, job);
  }

  /** Decided here, whatever is running; `changed` is true for the one call that did it. */
  async cancel(id: ImportId, tx: Transaction = this.#db): Promise<Answer<CancelVerdict> & { readonly changed: boolean }> {
    return cancel(tx, id);
  }

  /** ACCEPTED again with the same file, if it is REJECTED at that revision. */
  async retry(id: ImportId, revision: bigint, tx: Transaction = this.#db): Promise<Answer<RetryVerdict>> {
    return retry(tx, id, revision);
  }

  async find(id: ImportId, tx: Transaction = this.#db): Promise<ImportRecord | undefined> {
    return find(tx, id);
  }

  /** The journal, newest first; `beforeSeq` continues after the import with that seq. No state: all. */
  async list(namespace: string, page: { states?: readonly ImportState[]; beforeSeq?: bigint | undefined; limit: number }): Promise<ImportRecord[]> {
    const states = page.states === undefined || page.states.length === 0 ? ['accepted', 'applied', 'rejected', 'cancelled'] : page.states;
    return (await this.#db.query<ImportRow>(statements.list, [namespace, states, page.beforeSeq ?? null, page.limit])).map(importOf);
  }

  /** ACCEPTED imports of a namespace, counted up to `limit`. */
  async countAccepted(namespace: string, limit: number, tx: Transaction = this.#db): Promise<number> {
    const [row] = await tx.query<{ accepted: number }>(statements.countAccepted, [namespace, limit]);
    return row?.accepted ?? 0;
  }

  /** Why a REJECTED import was refused, or rows were left out of one that was applied in part, archived or not, in the file's order; `afterPosition` continues after that one. */
  async rowErrors(id: ImportId, page: { afterPosition?: number; limit: number }): Promise<(RowError & { readonly position: number })[]> {
    const rows = await this.#db.query<{ position: number; line: bigint; column_name: string; code: string; message: string }>(
      statements.rowErrors, [id.namespace, id.importId, page.afterPosition ?? 0, page.limit]);
    return rows.map(({ position, line, column_name: column, code, message }) => ({ position, line: Number(line), column, code, message }));
  }

  /** What an APPLIED import changed, one move per SKU and warehouse whose stock is another for it, archived or not, in the order of the bytes of warehouses and SKUs. */
  async moves(id: ImportId, page: { after?: { readonly warehouse: string; readonly sku: string }; limit: number }): Promise<StockMove[]> {
    const rows = await this.#db.query<{ warehouse: string; sku: string; quantity: bigint; line: number; row_count: number }>(
      statements.moves, [id.namespace, id.importId, page.after?.warehouse ?? '', page.after?.sku ?? '', page.limit]);
    return rows.map(({ warehouse, sku, quantity, line, row_count: rowCount }) => ({ warehouse, sku, quantity, line, rowCount }));
  }

  /** Those of `skus` that any import moved in that warehouse, with the catalogue that they are of. The empty warehouse is the default one. */
  async stock(namespace: string, skus: readonly string[], warehouse = ''): Promise<StockRead> {
    return stock(this.#db, namespace, skus, warehouse);
  }

  async listStock(namespace: string, page: StockPage): Promise<StockRead> {
    return listStock(this.#db, namespace, page);
  }

  /** What applying now would come to; of what stock cannot take, up to 100 by line. Advice: the apply judges anew. `changes`: one per SKU and warehouse. */
  async preview<C extends StockChange>(namespace: string, changes: Iterable<C>): Promise<Preview<C>> {
    return preview(this.#db, namespace, changes, 100);
  }

  /** SKUs of a warehouse whose moves do not come to their stock, up to 100: none, or something is broken. Reads everything that the namespace has. */
  async imbalance(namespace: string): Promise<{ warehouse: string; sku: string; moved: bigint; inStock: bigint }[]> {
    const rows = await this.#db.query<{ warehouse: string; sku: string; moved: bigint; in_stock: bigint }>(statements.imbalance, [namespace, 100]);
    return rows.map(({ warehouse, sku, moved, in_stock: inStock }) => ({ warehouse, sku, moved, inStock }));
  }

  /** One bounded run of the archive duty. Answers how many rows moved; more than 0: run again. */
  async archive(run: ArchiveRun): Promise<number> {
    return archive(this.#db, run);
  }

  /** One bounded run of the duty that forgets applied batches whose idempotency term is over. Answers how many; more than 0: run again. */
  async forgetExpired(limit: number): Promise<number> {
    return forgetExpired(this.#db, limit);
  }
}

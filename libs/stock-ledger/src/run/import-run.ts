import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDatabaseAway, isRetryable, sql, type Database, type Statement } from '@leasehold/postgres';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { importOf, type ImportLayout, type ImportMode, type ImportRecord, type ImportRow } from '../journal/import-record.js';
import { findHealed } from '../journal/rows.js';
import { maxKeptFaults, type RowError, type RunIdentity } from '../journal/runs.js';
import { copyText } from './copy-text.js';
import { LedgerAway } from './ledger-away.js';
import { stockWords } from './stock-row-errors.js';

const statements = {
  makeRows: sql(import.meta.url, 'make-rows'),
  makeFullRows: sql(import.meta.url, 'make-full-rows'),
  copyRows: sql(import.meta.url, 'copy-rows'),
  copyFullRows: sql(import.meta.url, 'copy-full-rows'),
  countRows: sql(import.meta.url, 'count-rows'),
  makeNet: sql(import.meta.url, 'make-net'),
  makeFullNet: sql(import.meta.url, 'make-full-net'),
  makeOutcome: sql(import.meta.url, 'make-outcome'),
  makeApply: sql(import.meta.url, 'make-apply'),
  apply: sql(import.meta.url, 'apply'),
};

/** A row of a shipment: `line` from 1, rising, `quantity` within int32, not below 0 where it sets. */
export interface LedgerRow {
  readonly line: number;
  readonly sku: string;
  readonly quantity: number;
  /** The layout WAREHOUSES only; left out or empty: the default one. */
  readonly warehouse?: string;
  /** The layout WAREHOUSES only: the stock becomes the quantity, whatever it was; left out: the quantity is added. */
  readonly sets?: boolean;
}

/** Why stock cannot take the batch: it would fall below 0 (NEGATIVE_STOCK) or not fit into 64 bits (LIMIT). Judged on what the batch comes to for the SKU in its warehouse. */
export interface StockFault {
  readonly code: 'NEGATIVE_STOCK' | 'LIMIT';
  /** The first line that names the SKU. */
  readonly line: number;
  /** Empty: the default one. */
  readonly warehouse: string;
  readonly sku: string;
  /** What the file's last row that sets has set; undefined: none does, and `change` is of what is in stock. */
  readonly setTo: bigint | undefined;
  readonly inStock: bigint;
  /** What the rows add after that. */
  readonly change: bigint;
}

/** What the reader of a file found in the rows that it left out of a partial batch. */
export interface FileFaults {
  /** The first, up to 100 are kept, in the file's order. */
  readonly faults: readonly RowError[];
  readonly faultCount: number;
  readonly rejectedRows: number;
}

const noFaults: FileFaults = { faults: [], faultCount: 0, rejectedRows: 0 };

/**
 * - applied: by this call.
 * - already_applied: this generation was applied before, by a run whose answer was lost; the result is that run's.
 * - refused: stock cannot take it, of a partial batch nothing at all; nothing changed, and the batch is ACCEPTED until the run rejects it.
 * - lost: a later run or generation has the batch, or it was ended; `import` says which.
 * - unknown: there is no such import.
 */
export type Applied =
  | { readonly verdict: 'applied' | 'already_applied' | 'lost'; readonly import: ImportRecord }
  | { readonly verdict: 'refused'; readonly import: ImportRecord; readonly faults: readonly StockFault[]; readonly faultCount: bigint }
  | { readonly verdict: 'unknown' };

export interface RunOptions {
  /** As the job says; where the import was submitted otherwise the apply fails. ATOMIC where it is left out. */
  readonly mode?: ImportMode;
  /** Likewise; SINGLE where it is left out. */
  readonly layout?: ImportLayout;
  /** Ends whatever the run is doing, and its connection. */
  readonly signal?: AbortSignal;
  /** COPY may take so many ms, however slowly its source is read, and the sums after it as many; default 30 minutes. */
  readonly copyTimeoutMs?: number;
}

/**
 * One attempt's rows, on a connection of its own that ends with it: copied into a table of the session, which no other sees and no transaction of the
 * ledger waits for, then applied by one call. `close` (or `abort`) must be called; both may be called twice.
 */
export class ImportRun {
  readonly #client: PoolClient;
  readonly #run: RunIdentity;
  readonly #mode: ImportMode;
  readonly #layout: ImportLayout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.abort();
  #copying = false;
  #copied: Copied | undefined;
  #closed = false;

  private constructor(client: PoolClient, run: RunIdentity, { mode = 'atomic', layout = 'single', signal }: RunOptions) {
    this.#client = client;
    this.#run = run;
    this.#mode = mode;
    this.#layout = layout;
    this.#signal = signal;
  }

  /** @throws LedgerAway */
  static async open(db: Database, run: RunIdentity, o: RunOptions = {}): Promise<ImportRun> {
    o.signal?.throwIfAborted();
    const client = await away(() => db.pool.connect());
    const opened = new ImportRun(client, run, o);
    o.signal?.addEventListener('abort', opened.#onAbort, { once: true });
    return opened.#guarded(async () => {
      await client.query(sessionSettings(o.copyTimeoutMs ?? 30 * 60_000));
      await client.query((opened.#full ? statements.makeFullRows : statements.makeRows).text);
      return opened;
    });
  }

  /** Takes rows, once. @throws LedgerAway; what `batches` throws; the server's error for a line or quantity outside int32, or text that is none. */
  async copyRows(batches: AsyncIterable<readonly LedgerRow[]> | Iterable<readonly LedgerRow[]>): Promise<{ rows: number }> {
    return this.copyText(copyText(batches, this.#layout));
  }

  /** As `copyRows`, for whoever has COPY's text format already (columns line, sku, quantity; in the layout WAREHOUSES warehouse and sets as well). Chunks may end anywhere. The source is read no faster than the server takes it. */
  async copyText(chunks: AsyncIterable<Uint8Array>): Promise<{ rows: number }> {
    if (this.#copying) throw new Error('a run takes its rows once');
    this.#copying = true;
    return this.#guarded(async () => {
      const copy = this.#client.query(copyFrom((this.#layout === 'single' ? statements.copyRows : statements.copyFullRows).text, { highWaterMark: 1 << 18 }));
      await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 2 }), copy, this.#signal === undefined ? {} : { signal: this.#signal });
      await this.#client.query((this.#full ? statements.makeFullNet : statements.makeNet).text);
      await this.#client.query(statements.makeOutcome.text);
      await this.#client.query(statements.makeApply.text);
      if (this.#full) this.#copied = { zero_rows: null, units_in: null };
      else this.#copied = (await this.#client.query<Copied>(statements.countRows.text)).rows[0];
      return { rows: copy.rowCount };
    });
  }

  /**
   * Applies what was copied, all of it or nothing, or in the mode PARTIAL what stock can take of it, in one statement that ends before the lease does. A deadlock, a wait for a lock and a serialization failure are
   * repeated while there is time.
   * @param leaseLeftMs what is left of the lease, asked before each try.
   * @param left PARTIAL only: what was left out of the copy; kept with the import, together with what stock cannot take.
   * @throws LedgerAway, also when the time does not suffice.
   */
  async apply(leaseLeftMs: () => number, left: FileFaults = noFaults): Promise<Applied> {
    const copied = this.#copied;
    if (copied === undefined) throw new Error('a run applies what it has copied');
    const { namespace, importId, generation, fence, tokenDigest } = this.#run;
    const kept = left.faults.slice(0, maxKeptFaults);
    const values = [
      namespace, importId, generation, fence, tokenDigest, this.#mode, this.#layout, copied.zero_rows, copied.units_in,
      kept.map((f) => f.line), kept.map((f) => f.column), kept.map((f) => f.code), kept.map((f) => f.message), Math.max(left.faultCount, kept.length), left.rejectedRows, JSON.stringify(stockWords),
    ];
    return this.#guarded(async () => {
      for (;;) {
        const timeoutMs = Math.floor(leaseLeftMs() * 0.9);
        if (timeoutMs < 1) throw new LedgerAway('no time is left to apply');
        await this.#client.query(`set statement_timeout = ${timeoutMs}; set lock_timeout = ${Math.ceil(timeoutMs / 3)}`);
        try {
          const { rows: [answer] } = await this.#client.query<ApplyRow>(statements.apply.text, values);
          if (answer === undefined) throw new Error('apply_import answered nothing');
          const applied = appliedOf(answer);
          if (applied.verdict === 'applied' || applied.verdict === 'refused' || applied.verdict === 'unknown' || applied.import.state !== 'accepted') return applied;
          // applied_batches may know more than a row that came back from a backup.
          const healed = await findHealed({ query: async <R extends object>({ text }: Statement, params: readonly unknown[]) => (await this.#client.query<R>(text, [...params])).rows }, this.#run);
          return healed === undefined ? applied : { ...applied, import: healed };
        } catch (error) {
          if (!isRetryable(error) && !isLockTimeout(error)) throw error;
        }
      }
    });
  }

  /** Rows must be told apart by more than their SKU. */
  get #full(): boolean {
    return this.#mode !== 'atomic' || this.#layout !== 'single';
  }

  /** Ends the run at once. What the server is doing it may end by itself: the batch's row says. */
  abort(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    // Never back to the pool: tables, settings and a COPY half done go with the connection.
    this.#client.release(true);
  }

  close(): void {
    this.abort();
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#signal?.throwIfAborted();
      if (this.#closed) throw new LedgerAway('the run has ended');
      return await work();
    } catch (error) {
      const aborted = this.#closed;
      this.abort();
      this.#signal?.throwIfAborted();
      throw aborted || isDatabaseAway(error) ? new LedgerAway(`the run's connection is of no use: ${error instanceof Error ? error.message : String(error)}`, error) : error;
    }
  }
}

/** Null: counted per SKU, as some may be left out. */
interface Copied {
  zero_rows: bigint | null;
  units_in: bigint | null;
}

interface ApplyRow extends ImportRow {
  verdict: Applied['verdict'];
  stock_faults: { code: StockFault['code']; line: number; warehouse: string; sku: string; set_to: string | null; in_stock: string; change: string }[] | null;
  stock_fault_count: bigint;
}

function appliedOf(row: ApplyRow): Applied {
  if (row.verdict === 'unknown') return { verdict: 'unknown' };
  if (row.verdict !== 'refused') return { verdict: row.verdict, import: importOf(row) };
  const faults = (row.stock_faults ?? []).map((f) => ({ code: f.code, line: f.line, warehouse: f.warehouse, sku: f.sku, setTo: f.set_to === null ? undefined : BigInt(f.set_to), inStock: BigInt(f.in_stock), change: BigInt(f.change) }));
  return { verdict: 'refused', import: importOf(row), faults, faultCount: row.stock_fault_count };
}

// temp_buffers before the session's first temporary table: a million rows are 50 MB. work_mem for the sums of half a million SKUs. What is more spills to disk.
const sessionSettings = (copyTimeoutMs: number): string =>
  `set statement_timeout = ${Math.ceil(copyTimeoutMs)}; set temp_buffers = '64MB'; set work_mem = '64MB'`;

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';

async function away<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDatabaseAway(error) ? new LedgerAway('the ledger\'s database is out of reach', error) : error;
  }
}

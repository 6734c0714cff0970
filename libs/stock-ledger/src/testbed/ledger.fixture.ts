import { createHash, randomBytes } from 'node:crypto';
import { createPool, grantServiceRole, type Database } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { vi } from 'vitest';
import { Ledger, ledgerGrants, migrateLedger, type Applied, type FileFaults, type LedgerRow, type RunIdentity, type RunOptions, type Submission } from '../index.js';

const logger = createLogger({ service: 'ledger-test', level: 'silent' });

export const digestOf = (content: string): Buffer => createHash('sha256').update(content).digest();

/** A submission whose content is told apart by a word. */
export const submission = (importId: string, content: string, namespace = 'shop'): Submission => ({
  namespace, importId, charset: '', contentDigest: digestOf(content),
  source: { key: `shipments/${namespace}/${content}`, versionId: `v-${content}`, sizeBytes: 10n, sha256: digestOf(content) },
});

/** A run of a batch: the token is of its own, so two runs never pass for each other. */
export const runOf = (importId: string, fence: bigint, generation = 1, namespace = 'shop'): RunIdentity => ({ namespace, importId, generation, fence, tokenDigest: randomBytes(32) });

/** Rows `sku: quantity` from line 2 on. */
export const rowsOf = (...pairs: readonly (readonly [string, number])[]): LedgerRow[] => pairs.map(([sku, quantity], i) => ({ line: i + 2, sku, quantity }));

/** How a batch was submitted, and what its reader left out. */
export type ApplyOptions = Pick<RunOptions, 'mode' | 'layout'> & { readonly left?: FileFaults };

export interface Testbed {
  /** As ingest connects. */
  readonly ledger: Ledger;
  /** As import-worker connects. */
  readonly worker: Ledger;
  readonly workerDb: Database;
  readonly ingestDb: Database;
  /** As the role of import-worker; a secret. */
  readonly workerUrl: string;
  /** As the owner of the tables. */
  readonly owner: Database;
  /** Copies and applies in one go. */
  apply(run: RunIdentity, rows: readonly LedgerRow[], leaseLeftMs?: () => number, o?: ApplyOptions): Promise<Applied>;
  /** Accepts, begins and applies. */
  ship(importId: string, fence: bigint, rows: readonly LedgerRow[], namespace?: string, o?: ApplyOptions): Promise<Applied>;
  /** Of the default warehouse. */
  quantities(namespace?: string): Promise<Record<string, bigint>>;
  /** SKUs whose moves, archived or not, do not come to their stock. */
  imbalance(namespace?: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** Ledgers that connect as the roles of the services: every test shows that the documented grants suffice. */
export async function openTestbed(): Promise<Testbed> {
  const { connectionString } = await testDatabase({ template: { name: 'ledger', prepare: (owned) => migrateLedger({ connectionString: owned, logger }) } });
  const owner = createPool({ connectionString, applicationName: 'owner', logger, max: 4 });
  const password = decodeURIComponent(new URL(connectionString).password);
  const urls: string[] = [];
  for (const [role, grants] of [['ledger_test_ingest', ledgerGrants.ingest], ['ledger_test_worker', ledgerGrants.importWorker]] as const) {
    // Roles belong to the whole cluster, and several test files may prepare at once.
    await owner.pool.query(`do $do$ begin create role ${role} login password ${pg.escapeLiteral(password)}; exception when duplicate_object or unique_violation then null; end $do$`);
    await grantServiceRole({ connectionString, role, grants, logger });
    const url = new URL(connectionString);
    url.username = role;
    urls.push(url.href);
  }
  const [ingestUrl = '', workerUrl = ''] = urls;
  const ingestDb = createPool({ connectionString: ingestUrl, applicationName: 'ingest', logger, max: 12 });
  const workerDb = createPool({ connectionString: workerUrl, applicationName: 'worker', logger, max: 12 });
  const ledger = new Ledger(ingestDb);
  const worker = new Ledger(workerDb);

  const apply = async (run: RunIdentity, rows: readonly LedgerRow[], leaseLeftMs = () => 60_000, { left, ...o }: ApplyOptions = {}): Promise<Applied> => {
    const opened = await worker.openRun(run, o);
    try {
      await opened.copyRows([rows]);
      return await opened.apply(leaseLeftMs, left);
    } finally {
      opened.close();
    }
  };
  return {
    ledger, worker, workerDb, ingestDb, workerUrl, owner, apply,
    ship: async (importId, fence, rows, namespace = 'shop', o = {}) => {
      const { left: _, ...asked } = o;
      await ledger.accept({ ...submission(importId, importId, namespace), ...asked });
      const run = runOf(importId, fence, 1, namespace);
      await worker.begin(run);
      return apply(run, rows, undefined, o);
    },
    quantities: async (namespace = 'shop') => {
      const { rows } = await owner.pool.query<{ sku: string; quantity: bigint }>('select sku, quantity from stock where namespace = $1 order by sku', [namespace]);
      return Object.fromEntries(rows.map(({ sku, quantity }) => [sku, quantity]));
    },
    imbalance: async (namespace = 'shop') => {
      const { rows } = await owner.pool.query<{ sku: string }>(
        `select coalesce(m.sku, s.sku) as sku from (select sku, sum(quantity) as quantity from all_moves where namespace = $1 group by sku) m
         full join (select sku, sum(quantity) as quantity from all_stock where namespace = $1 group by sku) s using (sku) where coalesce(m.quantity, 0) <> coalesce(s.quantity, 0)`, [namespace]);
      return rows.map(({ sku }) => sku);
    },
    stop: async () => {
      await Promise.all([ingestDb.stop(), workerDb.stop(), owner.stop()]);
    },
  };
}

/** Resolves once so many statements of the services wait for a lock. */
export async function waitingForLocks(owner: Database, count = 1): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await owner.pool.query("select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name in ('ingest', 'worker')");
    if (rows.length < count) throw new Error(`${rows.length} wait`);
  }, { timeout: 10_000, interval: 10 });
}

/** A transaction of the owner that stays open until `commit`. */
export async function openTransaction(owner: Database): Promise<{ query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>; commit(): Promise<void> }> {
  const client = await owner.pool.connect();
  await client.query('begin');
  return {
    query: async (text, values = []) => (await client.query<Record<string, unknown>>(text, values)).rows,
    commit: async () => {
      await client.query('commit');
      client.release();
    },
  };
}

import { sql, type Database } from '@leasehold/postgres';

const overdueSql = sql(import.meta.url, 'overdue');
const pageSql = sql(import.meta.url, 'page');

/** A queued job that BullMQ should have. */
export interface QueuedRow {
  readonly enqueue_id: bigint;
  readonly kind: string;
  readonly contract_version: number;
  readonly priority: number;
  /** Of the lease before, which may still lock the record. */
  readonly dispatch_token: Buffer | null;
  readonly delay_ms: number;
  readonly overdue_ms: number;
  readonly available_at: Date;
}

export interface Contract {
  readonly kind: string;
  readonly version: number;
}

/** The first `limit` of each contract and priority that are due for longer than `overdueMs`. */
export const overdueRows = (db: Database, contracts: readonly Contract[], overdueMs: number, limit: number): Promise<QueuedRow[]> =>
  db.query<QueuedRow>(overdueSql, [contracts.map((c) => c.kind), contracts.map((c) => c.version), overdueMs, limit]);

/** The row after which a page begins; undefined: at the beginning. */
export type Place = Pick<QueuedRow, 'priority' | 'available_at' | 'enqueue_id'> | undefined;

export const pageOfRows = (db: Database, { kind, version }: Contract, after: Place, limit: number): Promise<QueuedRow[]> =>
  db.query<QueuedRow>(pageSql, [kind, version, after?.priority ?? -1, after?.available_at ?? new Date(0), after?.enqueue_id ?? 0n, limit]);

import { sql, type Database } from '@leasehold/postgres';
import type { ContractName } from '../contracts/contract.js';
import { audit } from '../contracts/registry.js';

const listSql = sql(import.meta.url, 'list');
const setStateSql = sql(import.meta.url, 'set-state');

/**
 * ```
 * ACTIVE ─cordon─▶ CORDONED ─drain─▶ DRAINING ─▶ GONE       CORDONED ─uncordon─▶ ACTIVE       ACTIVE ─drain─▶ DRAINING
 * ```
 * An operator cordons and drains; a worker leaves, or is judged gone by its silence. GONE is final: a process comes back under a fresh id.
 */
export type WorkerState = 'active' | 'cordoned' | 'draining' | 'gone';

export interface FleetWorker {
  readonly workerId: string;
  readonly build: string;
  readonly state: WorkerState;
  readonly concurrency: number;
  readonly leases: number;
  /** Each as `kind@version`. */
  readonly reads: readonly string[];
  readonly suspended: readonly string[];
  readonly registeredAt: Date;
  readonly lastSeenAt: Date;
}

/** Which workers are meant: those that match all that is set. */
export interface WorkerSelector {
  readonly workerId?: string | undefined;
  readonly build?: string | undefined;
  readonly kind?: string | undefined;
  /** Those that declared it. */
  readonly contract?: ContractName | undefined;
  /** Those that did not, although they declared another version of its kind. */
  readonly withoutContract?: ContractName | undefined;
  readonly gone?: boolean;
}

interface WorkerRow {
  readonly worker_id: string;
  readonly build: string;
  readonly state: WorkerState;
  readonly concurrency: number;
  readonly leases: number;
  readonly reads: string[];
  readonly suspended: string[];
  readonly registered_at: Date;
  readonly last_seen_at: Date;
}

/** Workers that match, by build and id. */
export async function listWorkers(db: Pick<Database, 'query'>, s: WorkerSelector): Promise<FleetWorker[]> {
  const named = s.contract ?? s.withoutContract;
  const rows = await db.query<WorkerRow>(listSql, [s.workerId ?? null, s.build ?? null, named?.kind ?? s.kind ?? null, named?.version ?? null, s.contract !== undefined, s.gone ?? false]);
  // A worker may be asked for by both; the statement knows one of them.
  const without = s.contract === undefined ? undefined : s.withoutContract;
  return rows
    .map((row) => ({
      workerId: row.worker_id, build: row.build, state: row.state, concurrency: row.concurrency, leases: row.leases, reads: row.reads, suspended: row.suspended,
      registeredAt: row.registered_at, lastSeenAt: row.last_seen_at,
    }))
    .filter(({ reads }) => without === undefined || !reads.includes(`${without.kind}@${without.version}`));
}

const orders = {
  cordon: { to: 'cordoned', from: ['active'], action: 'workers_cordoned' },
  uncordon: { to: 'active', from: ['cordoned'], action: 'workers_uncordoned' },
  drain: { to: 'draining', from: ['active', 'cordoned'], action: 'workers_drained' },
} as const;

export type FleetOrder = keyof typeof orders;

/** Tells workers what to do next; they hear of it with their next call. Answers who was meant, as they are now. */
export async function orderWorkers(db: Database, order: FleetOrder, selector: WorkerSelector, o: { readonly validateOnly: boolean; readonly actor: string; readonly reason: string }): Promise<FleetWorker[]> {
  if (o.validateOnly) return listWorkers(db, selector);
  const { to, from, action } = orders[order];
  return db.transaction(async (tx) => {
    const meant = (await listWorkers(tx, selector)).map(({ workerId }) => workerId);
    const moved = await tx.query<{ worker_id: string }>(setStateSql, [meant, to, from]);
    if (moved.length > 0) await audit(tx, { actor: o.actor, action, subjects: moved.map(({ worker_id }) => worker_id).toSorted(), detail: o.reason });
    return (await listWorkers(tx, selector)).filter(({ workerId }) => meant.includes(workerId));
  });
}

import { sql, type Database } from '@leasehold/postgres';
import { fitting } from '../answer-size.js';
import type { JobName } from '../jobs/job-name.js';
import { fence, type Fence } from '../leases/fence.js';

const pullSql = sql(import.meta.url, 'pull');
const reofferSql = sql(import.meta.url, 'reoffer');
const acknowledgeSql = sql(import.meta.url, 'acknowledge');

export interface Outcome {
  readonly name: JobName;
  readonly enqueueId: bigint;
  readonly contractVersion: number;
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly fence: Fence;
  readonly reason: string;
  readonly lastReason: string;
  readonly result: Uint8Array;
  readonly attempt: number;
  readonly finishedAt: Date;
  readonly build: string;
}

interface OutcomeRow {
  readonly enqueue_id: bigint;
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly contract_version: number;
  readonly state: Outcome['state'];
  readonly reason: string;
  readonly last_reason: string;
  readonly result: Buffer;
  readonly fence: bigint;
  readonly attempts: number;
  readonly finished_at: Date;
  readonly build: string;
}

/** Which outcomes a puller takes. */
export interface OutcomesWanted {
  readonly kind: string;
  readonly versions: readonly number[];
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly limit: number;
}

/** Outcomes that wait for acknowledgement, oldest first, as many as fit into one answer; each is kept from other pullers for 30 s. */
export async function pullOutcomes(db: Database, { kind, versions, namespaces, limit }: OutcomesWanted): Promise<Outcome[]> {
  const rows = await db.query<OutcomeRow>(pullSql, [kind, versions, limit, namespaces ?? null]);
  const oldestFirst = rows.toSorted((a, b) => (a.fence < b.fence ? -1 : 1));
  const fit = fitting(oldestFirst, (row) => row.result.length);
  if (fit.length < oldestFirst.length) await db.query(reofferSql, [oldestFirst.slice(fit.length).map((row) => row.enqueue_id)]);
  return fit.map((row) => ({
    name: { namespace: row.namespace, kind: row.kind, jobId: row.job_id },
    enqueueId: row.enqueue_id,
    contractVersion: row.contract_version,
    state: row.state,
    fence: fence(row.fence),
    reason: row.reason,
    lastReason: row.last_reason,
    result: row.result,
    attempt: row.attempts,
    finishedAt: row.finished_at,
    build: row.build,
  }));
}

/** Acknowledges outcomes by job and fence; unknown ones are a repeat. Answers how many were acknowledged now. */
export async function acknowledgeOutcomes(db: Database, refs: readonly { readonly name: JobName; readonly fence: bigint }[]): Promise<number> {
  const rows = await db.query(acknowledgeSql, [refs.map((r) => r.name.namespace), refs.map((r) => r.name.kind), refs.map((r) => r.name.jobId), refs.map((r) => r.fence)]);
  return rows.length;
}

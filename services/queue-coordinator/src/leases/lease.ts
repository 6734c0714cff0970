import { fence, type Fence } from './fence.js';

export interface Lease {
  readonly namespace: string;
  readonly kind: string;
  readonly jobId: string;
  readonly enqueueId: bigint;
  readonly contractVersion: number;
  readonly priority: number;
  readonly payload: Uint8Array;
  readonly fence: Fence;
  readonly leaseToken: Uint8Array;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly availableAt: Date;
  /** What was left when the database answered, in ms. */
  readonly ttlMs: number;
  readonly runLeftMs: number;
  /** From due to granted, in ms; 0 for a lease that was granted before. */
  readonly waitedMs: number;
}

/** Leases, and when the question for them went to the database, by the coordinator's monotonic clock. */
export interface Granted {
  readonly leases: readonly Lease[];
  readonly sentAtMs: number;
}

export interface GrantRequest {
  readonly workerId: string;
  readonly requestSeq: bigint;
  readonly kind: string;
  readonly build: string;
  /** Sorted, each once. */
  readonly versions: readonly number[];
  readonly slots: number;
}

/** A lease as grant-next.sql, grant-proposed.sql and replay.sql answer it. */
export interface LeaseRow {
  readonly slot: bigint;
  readonly namespace: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly priority: number;
  readonly payload: Buffer;
  readonly fence: bigint;
  readonly lease_token: Buffer;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly available_at: Date;
  readonly ttl_ms: number;
  readonly run_left_ms: number;
  readonly waited_ms: number;
}

export const leaseOf = (row: LeaseRow, kind: string): Lease => ({
  namespace: row.namespace,
  kind,
  jobId: row.job_id,
  enqueueId: row.enqueue_id,
  contractVersion: row.contract_version,
  priority: row.priority,
  payload: row.payload,
  fence: fence(row.fence),
  leaseToken: row.lease_token,
  attempt: row.attempts,
  maxAttempts: row.max_attempts,
  availableAt: row.available_at,
  ttlMs: row.ttl_ms,
  runLeftMs: row.run_left_ms,
  waitedMs: row.waited_ms,
});

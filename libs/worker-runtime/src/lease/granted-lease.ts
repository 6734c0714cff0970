import type { Fence } from './fence.js';

/** A lease as the coordinator granted it: who may settle which job, with what. Never changes. */
export interface GrantedLease {
  readonly namespace: string;
  readonly kind: string;
  /** Unique within (namespace, kind). */
  readonly jobId: string;
  /** Names this enqueue of the job. A job that is granted again keeps it, so it does not name a lease: the fence does. */
  readonly enqueueId: bigint;
  readonly contractVersion: number;
  readonly payload: Uint8Array;
  readonly fence: Fence;
  /** Secret between coordinator and holder. Never logged. */
  readonly token: Uint8Array;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** A lease with its times, as they stand in the answer to an acquire call. */
export interface Grant {
  readonly lease: GrantedLease;
  /** What was left of the lease when the database answered. */
  readonly ttlMs: number;
  /** How long after the request's arrival the question went to the database. */
  readonly grantedAfterMs: number;
  /** What was left of the bound on the whole run. */
  readonly runLeftMs: number;
}

/** What every log line about a lease says of it. Fences and enqueue ids as text: JSON numbers would round them. */
export const logFieldsOf = (lease: GrantedLease): Record<string, string | number> => ({
  namespace: lease.namespace,
  kind: lease.kind,
  job_id: lease.jobId,
  enqueue_id: String(lease.enqueueId),
  fence: String(lease.fence),
  attempt: lease.attempt,
});

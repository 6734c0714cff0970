import { fence, type Fence } from '../leases/fence.js';
import type { JobName } from './job-name.js';

/** How far a run is, as its worker last said. */
export interface Progress {
  readonly percent: number;
  readonly stage: string;
  /** Units of work done (rows of a shipment), and bytes read, of how many; 0 where the kind has none. */
  readonly items: bigint;
  readonly bytes: bigint;
  readonly bytesTotal: bigint;
}

/** What a job is for the producer's side of the coordinator. */
export interface Job {
  readonly name: JobName;
  readonly state: JobState;
  readonly contractVersion: number;
  readonly priority: number;
  readonly enqueueId: bigint;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly fence: Fence;
  readonly enqueuedAt: Date;
  readonly availableAt: Date;
  readonly finishedAt: Date | undefined;
  readonly pruneAt: Date | undefined;
  readonly reason: string;
  readonly lastReason: string;
  readonly result: Uint8Array;
  readonly progress: Progress;
  readonly workerId: string;
  readonly build: string;
  readonly contentDigest: Uint8Array;
}

export const liveStates = ['queued', 'leased'] as const;
export const finalStates = ['succeeded', 'failed', 'cancelled'] as const;
export type JobState = (typeof liveStates)[number] | (typeof finalStates)[number];

/** Whether a job in this state can still change. */
export const isFinal = (state: JobState): boolean => finalStates.some((s) => s === state);

/** A row of the view job_records, with the kind's max_attempts beside it. */
export interface JobRow {
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly priority: number;
  readonly content_digest: Buffer;
  readonly state: JobState;
  readonly enqueued_at: Date;
  readonly available_at: Date;
  readonly finished_at: Date | null;
  readonly prune_at: Date | null;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly reason: string;
  readonly last_reason: string;
  readonly result: Buffer;
  readonly fence: bigint;
  readonly build: string;
  readonly worker_id: string;
  readonly progress_percent: number;
  readonly progress_stage: string;
  readonly progress_items: bigint;
  readonly progress_bytes: bigint;
  readonly progress_bytes_total: bigint;
}

export const jobOf = (row: JobRow): Job => ({
  name: { namespace: row.namespace, kind: row.kind, jobId: row.job_id },
  state: row.state,
  contractVersion: row.contract_version,
  priority: row.priority,
  enqueueId: row.enqueue_id,
  attempt: row.attempts,
  maxAttempts: row.max_attempts,
  fence: fence(row.fence),
  enqueuedAt: row.enqueued_at,
  availableAt: row.available_at,
  finishedAt: row.finished_at ?? undefined,
  pruneAt: row.prune_at ?? undefined,
  reason: row.reason,
  lastReason: row.last_reason,
  result: row.result,
  progress: { percent: row.progress_percent, stage: row.progress_stage, items: row.progress_items, bytes: row.progress_bytes, bytesTotal: row.progress_bytes_total },
  workerId: row.worker_id,
  build: row.build,
  contentDigest: row.content_digest,
});

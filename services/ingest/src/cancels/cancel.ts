import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Coordinator } from '../coordinator/coordinator.js';
import { jobName } from '../files/resource-name.js';

const statements = {
  claim: sql(import.meta.url, 'claim'),
  confirmed: sql(import.meta.url, 'confirmed'),
  release: sql(import.meta.url, 'release'),
};

export interface CancelParts {
  readonly db: Database;
  readonly coordinator: Coordinator;
  readonly logger: Logger;
  /** How long a batch is taken from other instances: longer than a cancel may take, in ms. */
  readonly claimMs: number;
  /** From the confirmed cancel to the sweep, in ms. */
  readonly writeWindowMs: number;
}

interface DueCancel {
  namespace: string;
  file_id: string;
  generation: number;
  job_id: string;
  enqueue_id: bigint | null;
}

const atMost = 20;

/**
 * Cancels the jobs of deleted cards, until the coordinator has confirmed each. Without a heard enqueue it names 0, which also leaves
 * a tombstone for an enqueue that is still under way. Returns how many were due; fails, with the rest due again, when one could not be cancelled.
 */
export async function cancelJobs(parts: CancelParts, signal: AbortSignal): Promise<number> {
  const due = await parts.db.query<DueCancel>(statements.claim, [atMost, parts.claimMs]);
  const results = await Promise.allSettled(due.map((job) => cancel(parts, job, signal)));
  const failed = due.filter((_, i) => results[i]?.status === 'rejected');
  if (failed.length > 0) await parts.db.query(statements.release, [failed.map((job) => job.namespace), failed.map((job) => job.file_id)]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return due.length;
}

async function cancel({ db, coordinator, logger, writeWindowMs }: CancelParts, job: DueCancel, signal: AbortSignal): Promise<void> {
  const name = jobName(job.namespace, job.job_id);
  await coordinator.cancel(name, job.enqueue_id ?? 0n, signal);
  await db.query(statements.confirmed, [job.namespace, job.file_id, job.generation, writeWindowMs]);
  logger.info({ event: 'job_cancelled', job: name }, 'the job of a deleted card is cancelled');
}

import type { Logger } from '@leasehold/service';
import type { Coordinator } from '../coordinator/coordinator.js';
import { jobName } from '../jobs/job-name.js';
import type { DueCancel, OwedJobs } from '../jobs/owed-jobs.js';

export interface CancelParts {
  readonly jobs: OwedJobs;
  readonly coordinator: Coordinator;
  readonly logger: Logger;
  /** How long a batch is taken from other instances: longer than a cancel may take, in ms. */
  readonly claimMs: number;
}

const atMost = 20;

/**
 * Cancels jobs that their resource has no use for any more, until the coordinator has confirmed each. Without a heard enqueue it names 0, which also leaves
 * a tombstone for an enqueue that is still under way. Returns how many were due; fails, with the rest due again, when one could not be cancelled.
 */
export async function cancelJobs(parts: CancelParts, signal: AbortSignal): Promise<number> {
  const due = await parts.jobs.takeCancels(atMost, parts.claimMs);
  const results = await Promise.allSettled(due.map((job) => cancel(parts, job, signal)));
  const failed = due.filter((_, i) => results[i]?.status === 'rejected');
  if (failed.length > 0) await parts.jobs.releaseCancels(failed);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return due.length;
}

async function cancel({ jobs, coordinator, logger }: CancelParts, job: DueCancel, signal: AbortSignal): Promise<void> {
  const name = jobName(jobs.kind, job.namespace, job.jobId);
  await coordinator.cancel(name, job.enqueueId, signal);
  await jobs.cancelConfirmed(job);
  logger.info({ event: 'job_cancelled', job: name }, 'the coordinator grants the job no more');
}

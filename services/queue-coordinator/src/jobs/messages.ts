import { EnqueueVerdict, JobState as JobStateMessage, Progress, type EnqueueResult as EnqueueResultMessage, type Job as JobMessage, type Outcome as OutcomeMessage } from '@leasehold/queue-v1';
import type { Outcome } from '../outcomes/outcomes.js';
import type { EnqueueResult } from './enqueue.js';
import type { Job, JobState } from './job.js';
import { renderJobName } from './job-name.js';

const states: Readonly<Record<JobState, JobStateMessage>> = {
  queued: JobStateMessage.QUEUED,
  leased: JobStateMessage.LEASED,
  succeeded: JobStateMessage.SUCCEEDED,
  failed: JobStateMessage.FAILED,
  cancelled: JobStateMessage.CANCELLED,
};

/** The state that a message means; undefined for UNSPECIFIED and for values of a later version. */
export const stateOf = (message: JobStateMessage): JobState | undefined => {
  for (const state of ['queued', 'leased', 'succeeded', 'failed', 'cancelled'] as const) if (states[state] === message) return state;
  return undefined;
};

export const jobMessage = (job: Job): JobMessage => {
  const leased = job.state === 'leased';
  return {
    name: renderJobName(job.name),
    state: states[job.state],
    contractVersion: job.contractVersion,
    priority: job.priority,
    enqueueId: job.enqueueId,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    fence: job.fence,
    enqueueTime: job.enqueuedAt,
    availableTime: job.availableAt,
    finishTime: job.finishedAt,
    pruneTime: job.pruneAt,
    reason: job.reason,
    lastReason: job.lastReason,
    result: Buffer.from(job.result),
    progress: leased ? Progress.create(job.progress) : undefined,
    workerId: leased ? job.workerId : '',
    build: leased ? job.build : '',
    contentDigest: Buffer.from(job.contentDigest),
  };
};

const verdicts = {
  enqueued: EnqueueVerdict.ENQUEUED,
  exists: EnqueueVerdict.EXISTS,
  conflict: EnqueueVerdict.CONFLICT,
} as const;

export const enqueueMessage = (result: EnqueueResult): EnqueueResultMessage =>
  result.verdict === 'contract_closed'
    ? { verdict: EnqueueVerdict.CONTRACT_CLOSED, job: undefined, message: result.message }
    : {
        verdict: verdicts[result.verdict],
        job: jobMessage(result.job),
        message: result.verdict === 'conflict' ? 'the id is taken by a job with another content digest: choose another id, or give the first content' : '',
      };

export const outcomeMessage = (outcome: Outcome): OutcomeMessage => ({
  name: renderJobName(outcome.name),
  enqueueId: outcome.enqueueId,
  contractVersion: outcome.contractVersion,
  state: states[outcome.state],
  fence: outcome.fence,
  reason: outcome.reason,
  lastReason: outcome.lastReason,
  result: Buffer.from(outcome.result),
  attempt: outcome.attempt,
  finishTime: outcome.finishedAt,
  build: outcome.build,
});

import { JobState, type Job } from '@leasehold/queue-v1';
import { properties, table } from '../print/table.js';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';

export const stateWords = ['queued', 'leased', 'succeeded', 'failed', 'cancelled'] as const;
export type StateWord = (typeof stateWords)[number];
export const stateOf: Readonly<Record<StateWord, JobState>> = { queued: JobState.QUEUED, leased: JobState.LEASED, succeeded: JobState.SUCCEEDED, failed: JobState.FAILED, cancelled: JobState.CANCELLED };

export const jobData = ({ state, ...job }: Job): object => ({ ...job, state: wordOf(JobState, state) });

export const contractOfJob = (job: Job): string => `${job.name.split('/')[3] ?? ''}@${job.contractVersion}`;

function paint(state: JobState, { ink }: Session): string {
  const word = wordOf(JobState, state);
  switch (state) {
    case JobState.SUCCEEDED:
      return ink.green(word);
    case JobState.FAILED:
      return ink.red(word);
    case JobState.LEASED:
      return ink.cyan(word);
    default:
      return word;
  }
}

export function jobTable(jobs: readonly Job[], session: Session): string {
  if (jobs.length === 0) return 'no jobs';
  return table(['job', 'state', 'contract', 'attempt', 'fence', 'enqueued', 'reason'], jobs.map((job) => [
    job.name, paint(job.state, session), contractOfJob(job), `${job.attempt}/${job.maxAttempts}`, String(job.fence), job.enqueueTime?.toISOString() ?? '', job.reason || job.lastReason,
  ]));
}

export function jobProperties(job: Job, session: Session): string {
  const at = (time: Date | undefined): string => time?.toISOString() ?? '';
  return properties([
    ['job', job.name],
    ['state', paint(job.state, session)],
    ['contract', contractOfJob(job)],
    ['priority', String(job.priority)],
    ['enqueue id', String(job.enqueueId)],
    ['fence', String(job.fence)],
    ['attempt', `${job.attempt} of ${job.maxAttempts}`],
    ['enqueued', at(job.enqueueTime)],
    ['due', at(job.availableTime)],
    ['finished', at(job.finishTime)],
    ['pruned after', at(job.pruneTime)],
    ['worker', job.workerId === '' ? '' : `${job.workerId} (${job.build})`],
    ['progress', job.progress === undefined ? '' : `${job.progress.percent} % ${job.progress.stage}`],
    ['reason', job.reason],
    ['last failure', job.lastReason],
  ]);
}

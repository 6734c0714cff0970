import type { Share } from '@leasehold/contract-shares';
import { EnqueueVerdict, JobState, type Job, type Outcome as OutcomeMessage, type QueueServiceService } from '@leasehold/queue-v1';
import { durationOfMs, Fault, msOfDuration, status, type ClientOf } from '@leasehold/rpc';
import { fenceOf } from '../jobs/fence.js';
import type { Outcome } from '../jobs/outcome.js';

export type QueueClient = ClientOf<typeof QueueServiceService>;

/** What the coordinator says of a job that it was sent. */
export interface EnqueueAnswer {
  /** unknown: a verdict that this build does not know. */
  readonly verdict: 'enqueued' | 'exists' | 'conflict' | 'contract_closed' | 'invalid' | 'unknown';
  readonly message: string;
  readonly enqueueId: bigint;
  /** Of a job that had ended already. */
  readonly outcome: Outcome | undefined;
}

/** How far a job has come. */
export interface JobView {
  readonly leased: boolean;
  readonly ended: boolean;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly percent: number;
  readonly stage: string;
  /** What was worked through so far, as the kind counts it, and of how many bytes; 0 where it does not. */
  readonly items: bigint;
  readonly bytes: bigint;
  readonly bytesTotal: bigint;
}

export interface JobToSend {
  readonly name: string;
  readonly contractVersion: number;
  readonly payload: Buffer;
  readonly digest: Buffer;
}

const verdicts = new Map<number, EnqueueAnswer['verdict']>([
  [EnqueueVerdict.ENQUEUED, 'enqueued'],
  [EnqueueVerdict.EXISTS, 'exists'],
  [EnqueueVerdict.CONFLICT, 'conflict'],
  [EnqueueVerdict.CONTRACT_CLOSED, 'contract_closed'],
  [EnqueueVerdict.INVALID, 'invalid'],
]);
const causes = new Map<number, Outcome['cause']>([
  [JobState.SUCCEEDED, 'succeeded'],
  [JobState.FAILED, 'failed'],
  [JobState.CANCELLED, 'cancelled'],
]);

/** It may be replaced by one that knows shares at any time. */
const askOldAgainMs = 5_000;

/** queue.v1 in ingest's words: the one place here where its messages are read and written. Every call has a deadline. */
export class Coordinator {
  readonly #client: QueueClient;
  readonly #timeoutMs: number;

  /** @param timeoutMs deadline of each call that is no long poll. */
  constructor(client: QueueClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** 1 to 500 jobs; one answer each, in the same order. */
  async enqueue(jobs: readonly JobToSend[], signal: AbortSignal): Promise<EnqueueAnswer[]> {
    const specs = jobs.map((job) => ({ name: job.name, contractVersion: job.contractVersion, payload: job.payload, contentDigest: job.digest, priority: 0, delay: undefined }));
    const { results } = await this.#client.enqueueJobs({ jobs: specs }, { signal, timeoutMs: this.#timeoutMs });
    if (results.length !== jobs.length) throw new Error(`${jobs.length} jobs were sent and ${results.length} answers came`);
    return results.map(({ verdict, message, job }) => ({
      verdict: verdicts.get(verdict) ?? 'unknown',
      message,
      enqueueId: job?.enqueueId ?? 0n,
      outcome: job === undefined || verdict !== EnqueueVerdict.EXISTS ? undefined : outcomeOf(job),
    }));
  }

  /**
   * Ends a job that its resource has no use for any more. Every enqueue of its id is void, not only the one that was heard of: when a restore made the
   * coordinator forget that one, healing may have made another, or may have one under way, which needs a tombstone.
   * @param enqueueId 0n: none was heard of.
   */
  async cancel(name: string, enqueueId: bigint, signal: AbortSignal): Promise<void> {
    const call = { signal, timeoutMs: this.#timeoutMs };
    try {
      await this.#client.cancelJob({ name, enqueueId }, call);
    } catch (error) {
      const another = error instanceof Fault && (error.reason === 'ENQUEUE_SUPERSEDED' || error.reason === 'JOB_NOT_FOUND');
      if (!another || enqueueId === 0n) throw error;
      await this.#client.cancelJob({ name, enqueueId: 0n }, call);
    }
  }

  /**
   * Says what this process writes and reads of a kind, and asks what it is to write: OPEN versions, newest first, 100 percent in all, or none.
   * A coordinator from before there were shares takes version 1 alone.
   */
  async shares(o: { kind: string; producer: string; build: string; versions: readonly number[] }, signal: AbortSignal): Promise<{ shares: Share[]; refreshAfterMs: number }> {
    const versions = [...o.versions];
    try {
      const request = { kind: o.kind, producer: o.producer, build: o.build, writes: versions, reads: versions };
      const { shares, refreshAfter } = await this.#client.getContractShares(request, { signal, timeoutMs: this.#timeoutMs });
      return { shares: shares.map(({ contractVersion, percent }) => ({ version: contractVersion, percent })), refreshAfterMs: msOfDuration(refreshAfter) };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== status.UNIMPLEMENTED) throw error;
      return { shares: versions.includes(1) ? [{ version: 1, percent: 100 }] : [], refreshAfterMs: askOldAgainMs };
    }
  }

  /** Waits up to `waitMs` (30 s at most) for outcomes of the kind's given contract versions. @param o.producer as in `shares` */
  async pull(o: { kind: string; versions: readonly number[]; producer: string; max: number; waitMs: number }, signal: AbortSignal): Promise<Outcome[]> {
    const { waitMs } = o;
    const request = { kind: o.kind, contractVersions: [...o.versions], maxOutcomes: o.max, wait: durationOfMs(waitMs), producer: o.producer };
    const { outcomes } = await this.#client.pullOutcomes(request, { signal, timeoutMs: waitMs + this.#timeoutMs });
    return outcomes.map((message) => outcomeOf(message) ?? unreadable(message));
  }

  async acknowledge(outcomes: readonly Outcome[], signal: AbortSignal): Promise<void> {
    await this.#client.ackOutcomes({ outcomes: outcomes.map(({ name, fence }) => ({ name, fence })) }, { signal, timeoutMs: this.#timeoutMs });
  }

  /** 1 to 500 names; those that the coordinator has. */
  async views(names: readonly string[], timeoutMs: number): Promise<Map<string, JobView>> {
    const { jobs } = await this.#client.batchGetJobs({ names: [...names] }, { timeoutMs });
    return new Map(jobs.map((job) => [job.name, viewOf(job)]));
  }
}

const viewOf = (job: Job): JobView => {
  const leased = job.state === JobState.LEASED;
  return {
    leased,
    ended: causes.has(job.state),
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    percent: leased ? (job.progress?.percent ?? 0) : 0,
    stage: leased ? (job.progress?.stage ?? '') : '',
    items: leased ? (job.progress?.items ?? 0n) : 0n,
    bytes: leased ? (job.progress?.bytes ?? 0n) : 0n,
    bytesTotal: leased ? (job.progress?.bytesTotal ?? 0n) : 0n,
  };
};

/** Undefined for a job that has not ended. */
function outcomeOf(job: Pick<OutcomeMessage, 'name' | 'state' | 'fence' | 'contractVersion' | 'reason' | 'result'>): Outcome | undefined {
  const cause = causes.get(job.state);
  return cause && { name: job.name, cause, fence: fenceOf(job.fence), contractVersion: job.contractVersion, reason: job.reason, result: job.result };
}

const unreadable = (message: OutcomeMessage): Outcome => ({
  name: message.name, cause: 'unreadable', fence: fenceOf(message.fence), contractVersion: message.contractVersion, reason: message.reason, result: message.result,
});

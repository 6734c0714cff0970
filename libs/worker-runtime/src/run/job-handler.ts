import type { Logger } from '@leasehold/service';
import type { Fence } from '../lease/fence.js';

/** One version of a kind's contract, as this build reads it: both directions between the wire and the newest model. */
export interface ContractCodec<Model, Result = Uint8Array> {
  /**
   * From the version's payload to the newest model.
   * @throws UnreadableContract when this build cannot read it: the job is handed back for others. Any other error fails the attempt.
   */
  decode(payload: Uint8Array): Model;
  /** From the newest result to the version's; left out where `run` answers bytes already. Up to 256 KiB. */
  encode?(result: Result): Uint8Array;
}

/** The work of one kind of job. */
export interface JobHandler<Model, Result = Uint8Array> {
  /** `[a-z][a-z0-9-]{0,62}` */
  readonly kind: string;
  /** By version, from 1. Exactly these are declared and taken. */
  readonly contracts: ReadonlyMap<number, ContractCodec<Model, Result>>;
  /**
   * Does the job. Called up to `concurrency` times at once.
   *
   * Must stop soon after `job.signal` fires: until it returns its slot stays taken, and its effects may collide with those of the next
   * holder. It must not block the event loop for longer than the margin: heartbeats and the end of trust run on it.
   * @throws JobFault to fail the job for a reason of its kind's list. Any other error fails the attempt as technical, INTERNAL; its text
   * stays in this worker's log.
   */
  run(job: RunningJob<Model>): Promise<Result>;
}

/** What a run has worked through: items (rows, say) and bytes. What is left out counts as 0. */
export interface JobAmounts {
  readonly items?: number;
  readonly bytes?: number;
  readonly bytesTotal?: number;
}

/** A job while it runs. */
export interface RunningJob<Model> {
  readonly model: Model;
  readonly namespace: string;
  readonly jobId: string;
  readonly enqueueId: bigint;
  /** Goes into everything that the run writes. */
  readonly fence: Fence;
  /** SHA-256 of the lease's token, 32 bytes: tells two runs apart that carry the same fence, as after a restore that set fences back. */
  readonly tokenDigest: Buffer;
  /** From 1. */
  readonly attempt: number;
  readonly contractVersion: number;
  /** Fires when the run must stop; its reason is a RunAborted. */
  readonly signal: AbortSignal;
  /** Until when the lease may be trusted at the least, in ms from now; falls, and rises with each heartbeat. Never negative. */
  readonly trustLeftMs: () => number;
  /**
   * Shown to those who watch the job, some seconds later; the last one wins.
   * @param percent 0 to 100; cut to that range and to whole numbers
   * @param stage a word of the kind's contract, up to 64 characters; cut to that length
   * @param amounts what was worked through, for kinds that count it
   */
  readonly progress: (percent: number, stage: string, amounts?: JobAmounts) => void;
  /** Carries namespace, kind, job, enqueue id, fence and attempt. */
  readonly log: Logger;
}

import { createHash } from 'node:crypto';
import type { Clock, Logger } from '@leasehold/service';
import type { Fence } from '../lease/fence.js';
import { logFieldsOf } from '../lease/granted-lease.js';
import type { HeldLease, Progress } from '../lease/lease-book.js';
import { JobFault, UnreadableContract } from './job-fault.js';
import type { ContractCodec, JobHandler, RunningJob } from './job-handler.js';
import { progressOf } from './progress.js';
import type { RunAborted } from './run-aborted.js';
import { isTooLarge, type RunEnd } from './run-end.js';

/** A run that has not returned yet. Its slot is taken until it does. */
export interface Run {
  readonly held: HeldLease;
  readonly startedAtMs: number;
  /** Why it was told to stop, and when. */
  readonly aborted: { readonly reason: RunAborted; readonly atMs: number } | undefined;
}

interface Entry extends Run {
  aborted: { readonly reason: RunAborted; readonly atMs: number } | undefined;
  readonly controller: AbortController;
}

export interface RunnerOptions<Model, Result> {
  readonly handler: JobHandler<Model, Result>;
  readonly clock: Clock;
  readonly logger: Logger;
  onProgress(fence: Fence, progress: Progress): void;
  /** The handler has returned; its slot is free. */
  onEnd(run: Run, end: RunEnd): void;
}

/** Runs the handler on leases, one slot each. Knows nothing of settling: what a run's end means is decided by its owner. */
export class Runner<Model, Result> {
  readonly #o: RunnerOptions<Model, Result>;
  readonly #runs = new Map<Fence, Entry>();

  constructor(o: RunnerOptions<Model, Result>) {
    this.#o = o;
  }

  /** Slots taken, also by runs that were told to stop. */
  get taken(): number {
    return this.#runs.size;
  }

  runs(): Run[] {
    return [...this.#runs.values()];
  }

  start(held: HeldLease): void {
    const entry: Entry = { held, startedAtMs: this.#o.clock.now(), aborted: undefined, controller: new AbortController() };
    this.#runs.set(held.lease.fence, entry);
    void this.#run(entry);
  }

  /** Fires the run's signal. The first reason stays; false when there is no such run or it was told before. */
  abort(fence: Fence, reason: RunAborted): boolean {
    const entry = this.#runs.get(fence);
    if (entry === undefined || entry.aborted !== undefined) return false;
    entry.aborted = { reason, atMs: this.#o.clock.now() };
    entry.controller.abort(reason);
    return true;
  }

  async #run(entry: Entry): Promise<void> {
    const end = await this.#execute(entry);
    this.#runs.delete(entry.held.lease.fence);
    this.#o.onEnd(entry, end);
  }

  async #execute(entry: Entry): Promise<RunEnd> {
    const { lease } = entry.held;
    // Made when first used: most runs of a short kind log nothing.
    let made: Logger | undefined;
    const log = (): Logger => (made ??= this.#o.logger.child(logFieldsOf(lease)));
    try {
      const codec = this.#o.handler.contracts.get(lease.contractVersion);
      if (codec === undefined) throw new UnreadableContract(`version ${lease.contractVersion} was not declared`);
      const result = await this.#o.handler.run(this.#job(entry, codec.decode(lease.payload), log));
      const bytes = encode(codec, result);
      if (isTooLarge(bytes)) log().error({ event: 'job_result_too_large', bytes: bytes.byteLength }, 'the result is larger than the edge allows');
      return { kind: 'returned', result: bytes };
    } catch (error) {
      this.#logThrow(entry, log(), error);
      return error instanceof UnreadableContract ? { kind: 'unreadable', error } : { kind: 'threw', error };
    }
  }

  #job(entry: Entry, model: Model, log: () => Logger): RunningJob<Model> {
    const { held, controller } = entry;
    const { lease } = held;
    return {
      model,
      namespace: lease.namespace,
      jobId: lease.jobId,
      enqueueId: lease.enqueueId,
      fence: lease.fence,
      attempt: lease.attempt,
      contractVersion: lease.contractVersion,
      signal: controller.signal,
      trustLeftMs: () => Math.max(0, held.trust.endsAtMs - this.#o.clock.now()),
      progress: (percent, stage, amounts) => this.#o.onProgress(lease.fence, progressOf(percent, stage, amounts)),
      get tokenDigest() {
        return createHash('sha256').update(lease.token).digest();
      },
      get log() {
        return log();
      },
    };
  }

  #logThrow(entry: Entry, log: Logger, err: unknown): void {
    // A run that was told to stop throws as a matter of course.
    if (entry.aborted !== undefined) log.debug({ event: 'job_threw', stopped: entry.aborted.reason.why, err }, 'the run ended after it was told to stop');
    else if (isExpected(err)) log.info({ event: 'job_faulted', err }, 'the handler gave the job up');
    else log.error({ event: 'job_threw', err }, 'the handler failed in a way that it did not foresee');
  }
}

function encode<Model, Result>(codec: ContractCodec<Model, Result>, result: Result): Uint8Array {
  const bytes: unknown = codec.encode === undefined ? result : codec.encode(result);
  if (bytes instanceof Uint8Array) return bytes;
  throw new TypeError('run() answered no bytes, and the contract has no encode()');
}

const isExpected = (err: unknown): boolean => err instanceof JobFault || err instanceof UnreadableContract;

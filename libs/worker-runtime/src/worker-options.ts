import type { Clock, Logger } from '@leasehold/service';
import type { Registry } from 'prom-client';
import type { JobHandler } from './run/job-handler.js';
import type { LeaseConnection } from './wire/lease-connection.js';

export interface WorkerRuntimeOptions<Model, Result = Uint8Array> {
  /**
   * `createClient(LeaseServiceService, ...)` of @leasehold/rpc, without retries of its own. Several, each with connections of its own: when
   * a call on one fails, the worker goes on with the next. The caller closes them after the runtime has stopped.
   */
  readonly clients: readonly LeaseConnection[];
  readonly handler: JobHandler<Model, Result>;
  /** What this process runs, for example `image-worker@0.1.0`; 1 to 128 characters. */
  readonly build: string;
  /** Jobs that run at once, 1 to 4096. */
  readonly concurrency: number;
  /** Leases held beyond those that run, so that a free slot does not wait for a call; 0 to 4096. Few for long jobs, many for short ones. */
  readonly prefetch: number;
  /**
   * Trust in a lease ends this long before the coordinator can let it expire, in ms: for clocks that run at different speeds, timers that
   * fire late, and handlers that take a moment to stop. At most 5/12 of the kind's lease time.
   */
  readonly marginMs: number;
  /** How long running jobs may go on once the worker drains, in ms. */
  readonly drainTimeoutMs: number;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly clock?: Clock;
  /** How long one acquire call may wait for a job, in ms: 0 to 30,000, and a third of the lease time at most. Default 20,000. */
  readonly acquireWaitMs?: number;
  /** What a job needs of its bound on the whole run to be worth starting, in ms. Default half of the kind's max_run. */
  readonly minRunMs?: number;
  /** How long new progress may wait to be shown, in ms. Default 2000. */
  readonly progressEveryMs?: number;
  /** How long runs have to return after they were told to stop at the end of a drain, in ms. Default 2000. */
  readonly abortGraceMs?: number;
  /** How long a run may ignore its signal before it is reported as stuck, in ms. Default 30,000. */
  readonly stuckAfterMs?: number;
  /** How long start() waits for the first registration to be answered, in ms; after that it goes on in the background. Default 5000. */
  readonly startTimeoutMs?: number;
  /** For the spread of repeats: 0 (inclusive) to 1 (exclusive). Default Math.random. */
  readonly random?: () => number;
}

/** @throws RangeError for a value outside of its range */
export function checkRanges<Model, Result>(o: WorkerRuntimeOptions<Model, Result>): void {
  const within = (name: string, value: number | undefined, least: number, most: number, whole: boolean): void => {
    if (value === undefined || (value >= least && value <= most && (!whole || Number.isInteger(value)))) return;
    throw new RangeError(`${name} must be ${whole ? 'a whole number ' : ''}from ${least} to ${most}, not ${value}`);
  };
  within('concurrency', o.concurrency, 1, 4096, true);
  within('prefetch', o.prefetch, 0, 4096, true);
  within('marginMs', o.marginMs, 0, Number.MAX_SAFE_INTEGER, false);
  within('drainTimeoutMs', o.drainTimeoutMs, 0, Number.MAX_SAFE_INTEGER, false);
  within('acquireWaitMs', o.acquireWaitMs, 0, 30_000, false);
  if (o.handler.contracts.size === 0) throw new RangeError(`the handler of kind ${o.handler.kind} reads no contract`);
  if (o.build.length < 1 || o.build.length > 128) throw new RangeError('build must have 1 to 128 characters');
}

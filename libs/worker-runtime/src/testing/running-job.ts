import { createLogger } from '@leasehold/service';
import { fenceOf } from '../lease/fence.js';
import type { JobAmounts, RunningJob } from '../run/job-handler.js';
import type { RunAborted } from '../run/run-aborted.js';

/** What a handler said of its progress. */
export interface Told extends JobAmounts {
  readonly percent: number;
  readonly stage: string;
}

/** A job as the runtime hands it to a handler, for tests that need no coordinator. */
export interface TestJob<Model> {
  readonly job: RunningJob<Model>;
  /** Fires the run's signal. */
  readonly stop: (reason: RunAborted) => void;
  readonly progress: Told[];
}

export function testJob<Model>(model: Model, o: { namespace?: string; jobId?: string; fence?: bigint; tokenDigest?: Buffer; trustLeftMs?: () => number } = {}): TestJob<Model> {
  const controller = new AbortController();
  const progress: Told[] = [];
  const job: RunningJob<Model> = {
    model,
    namespace: o.namespace ?? 'team',
    jobId: o.jobId ?? 'job',
    enqueueId: 1n,
    fence: fenceOf(o.fence ?? 7n),
    tokenDigest: o.tokenDigest ?? Buffer.alloc(32, 7),
    attempt: 1,
    contractVersion: 1,
    signal: controller.signal,
    trustLeftMs: o.trustLeftMs ?? (() => 60_000),
    progress: (percent, stage, amounts) => { progress.push({ percent, stage, ...amounts }); },
    log: createLogger({ service: 'test-job', level: 'silent' }),
  };
  return { job, stop: (reason) => controller.abort(reason), progress };
}

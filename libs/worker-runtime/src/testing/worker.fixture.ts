import { createLogger, ManualClock } from '@leasehold/service';
import { Registry } from 'prom-client';
import { onTestFinished, vi } from 'vitest';
import { UnreadableContract } from '../run/job-fault.js';
import type { JobHandler, RunningJob } from '../run/job-handler.js';
import type { WorkerRuntimeOptions } from '../worker-options.js';
import { WorkerRuntime } from '../worker-runtime.js';
import type { LeaseConnection } from '../wire/lease-connection.js';

/** A run in a test's hands. */
export interface ControlledRun {
  readonly job: RunningJob<string>;
  finish(result?: string): void;
  fail(error: unknown): void;
}

/** A handler whose runs a test ends. Payloads are text; `unreadable` cannot be read. */
export class ControlledHandler implements JobHandler<string, string> {
  readonly kind = 'image';
  readonly contracts = new Map([
    [1, { decode, encode: (result: string) => Buffer.from(result) }],
    [2, { decode: (payload: Uint8Array) => `up-converted ${decode(payload)}`, encode: (result: string) => Buffer.from(`down-converted ${result}`) }],
  ]);
  readonly runs: ControlledRun[] = [];
  /** Whether runs throw their signal's reason at once when it fires. */
  obedient = true;

  run(job: RunningJob<string>): Promise<string> {
    return new Promise((resolve, reject) => {
      this.runs.push({ job, finish: (result = 'result') => resolve(result), fail: reject });
      if (this.obedient) job.signal.addEventListener('abort', () => reject(job.signal.reason), { once: true });
    });
  }

  /** The n-th run, from 1, once it has started. */
  nth(n: number): Promise<ControlledRun> {
    return vi.waitFor(() => {
      const run = this.runs[n - 1];
      if (run === undefined) throw new Error(`${this.runs.length} of ${n} runs have started`);
      return run;
    }, { timeout: 5000, interval: 3 });
  }
}

function decode(payload: Uint8Array): string {
  const text = Buffer.from(payload).toString();
  if (text === 'unreadable') throw new UnreadableContract(text);
  return text;
}

export type WorkerSettings = Partial<Omit<WorkerRuntimeOptions<string, string>, 'clock' | 'clients' | 'handler'>>;

export interface TestedWorker {
  readonly runtime: WorkerRuntime<string, string>;
  readonly handler: ControlledHandler;
  readonly clock: ManualClock;
  /** The lines logged so far, of one event or all. */
  logged(event?: string): Record<string, unknown>[];
  /** The one line of an event, once it was logged. */
  line(event: string): Promise<Record<string, unknown>>;
  /** A metric's value by its labels; undefined before its first. */
  metric(name: string, labels?: Record<string, string>): Promise<number | undefined>;
}

/**
 * A worker on a manual clock: lease 1200 ms, margin 100 ms, so heartbeats every 400 ms and deadlines of 300 ms; one slot, no prefetch. Stopped
 * when the test ends.
 */
export function workerOn(clients: readonly LeaseConnection[], clock: ManualClock, o: WorkerSettings = {}): TestedWorker {
  const handler = new ControlledHandler();
  const registry = new Registry();
  let log = '';
  const logger = createLogger({ service: 'tested', level: 'debug', destination: { write: (line: string) => { log += line; } } });
  const runtime = new WorkerRuntime<string, string>({
    clients, handler, build: 'tested@1', concurrency: 1, prefetch: 0, marginMs: 100, drainTimeoutMs: 2000, startTimeoutMs: 1000, random: () => 1, logger, registry, clock, ...o,
  });
  onTestFinished(async () => {
    await runtime.stop(AbortSignal.abort());
  });
  const logged = (event?: string): Record<string, unknown>[] => log.split('\n').filter((l) => l !== '').map(parse).filter((l) => event === undefined || l['event'] === event);
  return {
    runtime,
    handler,
    clock,
    logged,
    line: (event) => vi.waitFor(() => {
      const [first] = logged(event);
      if (first === undefined) throw new Error(`no ${event} was logged, only ${[...new Set(logged().map((l) => String(l['event'])))].join(', ')}`);
      return first;
    }, { timeout: 5000, interval: 3 }),
    metric: async (name, labels = {}) => {
      const { values } = (await registry.getSingleMetric(`leasehold_worker_${name}`)?.get()) ?? { values: [] };
      return values.find((v) => Object.entries(labels).every(([k, value]) => v.labels[k] === value))?.value;
    },
  };
}

function parse(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new TypeError(`not a log line: ${line}`);
  return { ...value };
}

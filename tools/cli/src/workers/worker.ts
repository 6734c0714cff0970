import { WorkerState, type Worker } from '@leasehold/rollout-v1';
import { table } from '../print/table.js';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';

export const workerData = (worker: Worker): object => ({ ...worker, state: wordOf(WorkerState, worker.state) });

export function workerTable(workers: readonly Worker[], { ink }: Session): string {
  const state = (worker: Worker): string => (worker.state === WorkerState.ACTIVE ? ink.green(wordOf(WorkerState, worker.state)) : ink.yellow(wordOf(WorkerState, worker.state)));
  const reads = (worker: Worker): string => worker.reads.map((read) => (worker.suspended.includes(read) ? ink.red(`${read} suspended`) : read)).join(' ');
  return table(['worker', 'build', 'state', 'leases', 'reads', 'last heard'], workers.map((worker) => [worker.workerId, worker.build, state(worker), `${worker.leases}/${worker.concurrency}`, reads(worker), worker.lastSeenTime?.toISOString() ?? '']));
}

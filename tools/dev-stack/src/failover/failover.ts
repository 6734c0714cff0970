import type { FilesClient } from '@leasehold/client';
import type { Service } from '../processes/service.js';
import type { Stack } from '../stack.js';
import type { Terminal } from '../terminal.js';
import { restoreLease, shortenLease } from './kind-policy.js';
import { tellStory } from './story.js';

/** Short, as somebody waits for it to run out; more than enough for a worker with a margin of 0.5 s. */
const leaseMs = 4_000;

export interface Failover {
  readonly stack: Stack;
  readonly client: FilesClient;
  /** A photo that becomes READY. */
  readonly photo: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Freezes a real worker process in mid-job, lets another one take over, wakes the first one, and shows that it cannot make anything official any
 * more. Rejects with a StackFault when any of this is not so. The stack's usual workers have been stopped when it ends.
 */
export async function showFailover(o: Failover): Promise<void> {
  const { stack } = o;
  // One of them might be quicker than the worker that is to be frozen.
  await stack.stopWorkers();
  const queue = stack.postgres.connectionString('queue');
  await shortenLease(queue, stack.folder, leaseMs);
  const started: Service[] = [];
  const start = async (worker: { name: string; stopsAt?: 'stored' }): Promise<Service> => {
    const service = await stack.startShortLeaseWorker(worker);
    started.push(service);
    return service;
  };
  try {
    await tellStory({
      ...o, leaseMs,
      startA: () => start({ name: 'image-worker-a', stopsAt: 'stored' }),
      startB: () => start({ name: 'image-worker-b' }),
    });
  } finally {
    for (const { process } of started) process.kill('SIGUSR2'); // What stands still at a failpoint would not stop either.
    await stack.stopWorkers(started);
    if (!stack.broken.aborted) await restoreLease(queue, stack.folder);
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { LeaseServiceService } from '@leasehold/lease-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, durationOfMs } from '@leasehold/rpc';

/** On an idle queue with a waiting worker: ms from the call of EnqueueJobs to the lease in the worker's hands, one job after another. */
export async function measureLatency(address: string, jobs: number): Promise<number[]> {
  const queue = createClient(QueueServiceService, address);
  const leases = createClient(LeaseServiceService, address, { defaultTimeoutMs: 40_000 });
  const workerId = randomUUID();
  const latencies: number[] = [];
  try {
    await leases.registerWorker({ workerId, build: 'bench', contracts: [{ kind: 'image', version: 1 }], concurrency: 1 });
    for (let i = 1; i <= jobs; i++) {
      const waiting = leases.acquireLeases({
        workerId, requestSeq: BigInt(i), answeredSeq: BigInt(i - 1), heldFences: [], kind: 'image', contractVersions: [1], maxLeases: 1, wait: durationOfMs(30_000),
      });
      const id = randomUUID();
      const startedAt = performance.now();
      await queue.enqueueJobs({
        jobs: [{ name: `namespaces/default/kinds/image/jobs/${id}`, contractVersion: 1, payload: Buffer.from('no-op'), contentDigest: createHash('sha256').update(id).digest(), priority: 0, delay: undefined }],
      });
      const [lease] = (await waiting).leases;
      latencies.push(performance.now() - startedAt);
      if (lease === undefined) throw new Error('a waiting worker got nothing');
      await leases.settleLeases({ workerId, settlements: [{ enqueueId: lease.enqueueId, leaseToken: lease.leaseToken, fence: lease.fence, verb: { $case: 'complete', value: { result: Buffer.alloc(0) } } }] });
    }
    return latencies;
  } finally {
    queue.close();
    leases.close();
  }
}

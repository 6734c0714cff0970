import type { LeaseConnection } from '@leasehold/worker-runtime';
import type { Failpoints } from '@leasehold/worker-runtime/testing';
import type { Failpoint } from './failpoints.js';

/** The jobs of leases whose settlement nobody has lost yet, by fence. */
export type Unlost = Map<bigint, string>;

/** A connection on which the answer to the first settlement of each lease is lost, after it was taken. */
export const losingReplies = (client: LeaseConnection, failpoints: Failpoints<Failpoint>, unlost: Unlost): LeaseConnection => ({
  registerWorker: (request, o) => client.registerWorker(request, o),
  acquireLeases: (request, o) => client.acquireLeases(request, o),
  extendLeases: (request, o) => client.extendLeases(request, o),
  deregisterWorker: (request, o) => client.deregisterWorker(request, o),
  settleLeases: async (request, o) => {
    const response = await client.settleLeases(request, o);
    for (const { fence } of request.settlements) {
      const jobId = unlost.get(fence);
      if (jobId === undefined) continue;
      unlost.delete(fence);
      if (await failpoints.reach('reply-lost', { fence, jobId })) throw new Error('the answer was lost');
    }
    return response;
  },
});

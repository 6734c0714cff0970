import { randomUUID } from 'node:crypto';
import { LeaseServiceService, type Lease, type SettlementResult } from '@leasehold/lease-v1';
import { createClient, durationOfMs, type ClientOf } from '@leasehold/rpc';

/** A worker by hand: takes and settles leases when a test says so, and keeps what it holds for as long as the test wants. */
export class LeaseTaker {
  readonly workerId = randomUUID();
  readonly #client: ClientOf<typeof LeaseServiceService>;
  readonly #held = new Set<bigint>();
  #answeredSeq = 0n;

  private constructor(address: string) {
    this.#client = createClient(LeaseServiceService, address, { defaultTimeoutMs: 20_000 });
  }

  static async at(address: string): Promise<LeaseTaker> {
    const taker = new LeaseTaker(address);
    await taker.#client.registerWorker({ workerId: taker.workerId, build: 'by-hand@1', concurrency: 512, contracts: [{ kind: 'image', version: 1 }] });
    return taker;
  }

  async take(maxLeases: number, waitMs = 0): Promise<Lease[]> {
    const requestSeq = this.#answeredSeq + 1n;
    const { leases } = await this.#client.acquireLeases({
      workerId: this.workerId, requestSeq, answeredSeq: this.#answeredSeq, heldFences: [...this.#held], kind: 'image', contractVersions: [1], maxLeases, wait: durationOfMs(waitMs),
    });
    this.#answeredSeq = requestSeq;
    for (const { fence } of leases) this.#held.add(fence);
    return leases;
  }

  async complete(leases: readonly Lease[], result = Buffer.from('done')): Promise<SettlementResult[]> {
    const settlements = leases.map(({ enqueueId, leaseToken, fence }) => ({ enqueueId, leaseToken, fence, verb: { $case: 'complete' as const, value: { result } } }));
    const { results } = await this.#client.settleLeases({ workerId: this.workerId, settlements });
    for (const { fence } of leases) this.#held.delete(fence);
    return results;
  }

  close(): void {
    this.#client.close();
  }
}

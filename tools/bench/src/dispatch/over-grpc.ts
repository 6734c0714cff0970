import { randomUUID } from 'node:crypto';
import { LeaseServiceService, SettlementVerdict, type Lease } from '@leasehold/lease-v1';
import { createClient, type ClientOf } from '@leasehold/rpc';

type LeaseClient = ClientOf<typeof LeaseServiceService>;

const contract = { kind: 'image', version: 1 };

/** A worker that does nothing with its jobs but complete them: acquires a batch while it settles the one before. */
class NoOpWorker {
  readonly #client: LeaseClient;
  readonly #workerId = randomUUID();
  readonly #batch: number;
  #requestSeq = 0n;

  constructor(address: string, batch: number) {
    this.#client = createClient(LeaseServiceService, address, { defaultTimeoutMs: 30_000 });
    this.#batch = batch;
  }

  async register(): Promise<void> {
    await this.#client.registerWorker({ workerId: this.#workerId, build: 'bench', contracts: [contract], concurrency: 4096 });
  }

  /** Until the queue is empty. Answers how many jobs it completed. */
  async drain(): Promise<number> {
    let completed = 0;
    let held: readonly Lease[] = [];
    for (;;) {
      const [next] = await Promise.all([this.#acquire(held), this.#complete(held)]);
      completed += held.length;
      if (next.length === 0) return completed;
      held = next;
    }
  }

  close(): void {
    this.#client.close();
  }

  async #acquire(held: readonly Lease[]): Promise<readonly Lease[]> {
    this.#requestSeq += 1n;
    const { leases } = await this.#client.acquireLeases({
      workerId: this.#workerId, requestSeq: this.#requestSeq, answeredSeq: this.#requestSeq - 1n, heldFences: held.map((lease) => lease.fence), kind: contract.kind,
      contractVersions: [contract.version], maxLeases: this.#batch, wait: undefined,
    });
    return leases;
  }

  async #complete(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const { results } = await this.#client.settleLeases({
      workerId: this.#workerId,
      settlements: leases.map(({ enqueueId, leaseToken, fence }) => ({ enqueueId, leaseToken, fence, verb: { $case: 'complete', value: { result: Buffer.alloc(0) } } })),
    });
    const refused = results.filter((result) => result.verdict !== SettlementVerdict.SETTLED).length;
    if (refused > 0) throw new Error(`${refused} of ${results.length} settlements were refused`);
  }
}

/** Works the backlog off over gRPC, in batches of `batch` by `workers` workers. Answers seconds and how many jobs were completed. */
export async function runOverGrpc(address: string, o: { readonly batch: number; readonly workers: number }): Promise<{ seconds: number; completed: number }> {
  const workers = Array.from({ length: o.workers }, () => new NoOpWorker(address, o.batch));
  try {
    await Promise.all(workers.map((worker) => worker.register()));
    const startedAt = performance.now();
    const completed = await Promise.all(workers.map((worker) => worker.drain()));
    return { seconds: (performance.now() - startedAt) / 1000, completed: completed.reduce((a, b) => a + b, 0) };
  } finally {
    for (const worker of workers) worker.close();
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { FaultClass, LeaseServiceService, type Lease, type Settlement } from '@leasehold/lease-v1';
import { migrate } from '@leasehold/postgres';
import { QueueServiceService } from '@leasehold/queue-v1';
import { assemble, migrations, readConfig } from '@leasehold/queue-coordinator';
import { createClient, durationOfMs, type ClientOf } from '@leasehold/rpc';
import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { run, type Ran, type RunOptions } from './run.fixture.js';

const silent = createLogger({ service: 'test', level: 'fatal' });

/** A queue on a real PostgreSQL, a real coordinator, and whoever works and produces, over the real edges. */
export class TestQueue {
  readonly address: string;
  readonly sql: pg.Pool;
  readonly queue: ClientOf<typeof QueueServiceService>;
  readonly leases: ClientOf<typeof LeaseServiceService>;
  readonly #end: () => Promise<unknown>;

  private constructor(address: string, databaseUrl: string, end: () => Promise<unknown>) {
    this.address = address;
    this.sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    this.queue = createClient(QueueServiceService, address);
    this.leases = createClient(LeaseServiceService, address);
    this.#end = end;
  }

  static async open(): Promise<TestQueue> {
    const { connectionString } = await testDatabase({ template: { name: 'queue', prepare: (url) => migrate({ connectionString: url, directory: migrations, logger: silent }) } });
    const { lifecycle } = assemble(readConfig({ LEASEHOLD_QUEUE_DATABASE_URL: connectionString, LEASEHOLD_GRPC_PORT: '0', LEASEHOLD_HTTP_PORT: '0' }), silent);
    await lifecycle.start();
    return new TestQueue(lifecycle.addresses()['grpc-server'] ?? '', connectionString, () => lifecycle.stop());
  }

  async close(): Promise<void> {
    this.queue.close();
    this.leases.close();
    await this.sql.end();
    await this.#end();
  }

  /** The kind image with version 1 open and nothing else: no job, no worker, no producer. */
  async reset(): Promise<void> {
    await this.sql.query(`truncate producers, build_records, jobs, finished_jobs, outcomes, settlements, workers, worker_contracts, unreadable_reports, build_suspensions, audit_events, job_events;
      delete from contracts where version > 1; update contracts set state = 'open', paused = false, share_percent = 100, revision = 1;
      update kind_policies set lease_ms = 120000, max_attempts = 3, retry_initial_ms = 30000, dispatcher = 'postgres'`);
  }

  /** Runs a command line against this queue. */
  leasehold(args: string, o: RunOptions = {}): Promise<Ran> {
    return run(wordsOf(args), { ...o, env: { LEASEHOLD_COORDINATORS: this.address, ...o.env } });
  }

  /** As `leasehold`, with JSON parsed. */
  async json(args: string): Promise<unknown> {
    const { out } = await this.leasehold(`${args} --json`);
    return JSON.parse(out);
  }

  /** image@2, announced and opened without a gate. */
  async openVersion2(share = 0): Promise<void> {
    await this.sql.query("insert into contracts (kind, version, state, share_percent) values ('image', 2, 'open', $1)", [share]);
    await this.sql.query("update contracts set share_percent = 100 - $1 where kind = 'image' and version = 1", [share]);
  }

  async produce(versions: readonly number[], producer = 'ingest-1', build = 'ingest@0.2.0'): Promise<void> {
    await this.queue.getContractShares({ kind: 'image', producer, build, writes: [...versions], reads: [...versions] });
  }

  async enqueue(id: string, contractVersion = 1, delayMs = 0): Promise<void> {
    const contentDigest = createHash('sha256').update(id).digest();
    await this.queue.enqueueJobs({ jobs: [{ name: jobName(id), contractVersion, payload: Buffer.from(id), contentDigest, priority: 0, delay: delayMs === 0 ? undefined : durationOfMs(delayMs) }] });
  }

  async acknowledgeAll(versions: readonly number[]): Promise<void> {
    const { outcomes } = await this.queue.pullOutcomes({ kind: 'image', contractVersions: [...versions], maxOutcomes: 100, wait: undefined, producer: 'ingest-1' });
    if (outcomes.length > 0) await this.queue.ackOutcomes({ outcomes: outcomes.map(({ name, enqueueId, fence }) => ({ name, enqueueId, fence })) });
  }

  async worker(build: string, versions: readonly number[], workerId: string = randomUUID()): Promise<TestWorker> {
    await this.leases.registerWorker({ workerId, build, concurrency: 4, contracts: versions.map((version) => ({ kind: 'image', version })) });
    return new TestWorker(this, workerId, versions);
  }
}

export const jobName = (id: string): string => `namespaces/default/kinds/image/jobs/${id}`;

/** As a shell takes words apart, quotes included. */
export const wordsOf = (line: string): string[] => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, inQuotes, word]) => inQuotes ?? word ?? '');

/** A worker as the coordinator sees one. */
export class TestWorker {
  readonly workerId: string;
  readonly #queue: TestQueue;
  readonly #versions: readonly number[];
  #seq = 0n;

  constructor(queue: TestQueue, workerId: string, versions: readonly number[]) {
    this.#queue = queue;
    this.workerId = workerId;
    this.#versions = versions;
  }

  /** Takes what there is, up to 4; what it held before is undelivered no more, as it lists it. */
  async take(held: readonly Lease[] = []): Promise<Lease[]> {
    const { leases } = await this.#queue.leases.acquireLeases({
      workerId: this.workerId, requestSeq: (this.#seq += 1n), answeredSeq: this.#seq - 1n, heldFences: held.map(({ fence }) => fence), kind: 'image', contractVersions: [...this.#versions], maxLeases: 4, wait: durationOfMs(0),
    });
    return leases;
  }

  complete(...leases: readonly Lease[]): Promise<unknown> {
    return this.#settle(leases, { $case: 'complete', value: { result: Buffer.from('done') } });
  }

  fail(...leases: readonly Lease[]): Promise<unknown> {
    return this.#settle(leases, { $case: 'fail', value: { reason: 'INTERNAL', faultClass: FaultClass.TECHNICAL } });
  }

  #settle(leases: readonly Lease[], verb: NonNullable<Settlement['verb']>): Promise<unknown> {
    return this.#queue.leases.settleLeases({ workerId: this.workerId, settlements: leases.map(({ enqueueId, leaseToken, fence }) => ({ enqueueId, leaseToken, fence, verb })) });
  }
}

/** The only one of several. */
export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`expected one, got ${items.length}`);
  return item;
}

import { createHash, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { LeaseServiceService, type AcquireLeasesRequest, type Lease, type LeaseExtension, type Settlement } from '@leasehold/lease-v1';
import { grantServiceRole, migrate } from '@leasehold/postgres';
import { QueueServiceService, type EnqueueResult, type Job, type JobSpec } from '@leasehold/queue-v1';
import { RolloutServiceService } from '@leasehold/rollout-v1';
import { createClient, durationOfMs, type ClientOf } from '@leasehold/rpc';
import { createLogger, type Logger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import type { Failpoint } from '../dispatch/bullmq/failpoint.js';
import { assemble, migrations, readConfig, serviceRole } from '../index.js';

/** A coordinator in this process, with real clients over real sockets. */
export interface CoordinatorUnderTest {
  readonly queue: ClientOf<typeof QueueServiceService>;
  readonly leases: ClientOf<typeof LeaseServiceService>;
  readonly rollout: ClientOf<typeof RolloutServiceService>;
  readonly grpcAddress: string;
  readonly httpAddress: string;
  readonly log: Record<string, unknown>[];
  /** Stops the coordinator while its clients stay. */
  drain(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and tells which components did not end in time. */
  stopReport(): Promise<{ readonly hung: readonly string[] }>;
}

/** A queue database of its own and any number of coordinators on it. */
export class QueueUnderTest {
  readonly databaseUrl: string;
  readonly sql: pg.Pool;
  readonly #coordinators: CoordinatorUnderTest[] = [];

  private constructor(databaseUrl: string) {
    this.databaseUrl = databaseUrl;
    this.sql = new pg.Pool({ connectionString: databaseUrl, max: 6 });
  }

  static async open(): Promise<QueueUnderTest> {
    const { connectionString } = await testDatabase({
      template: { name: 'queue', prepare },
    });
    return new QueueUnderTest(connectionString);
  }

  async coordinator(env: NodeJS.ProcessEnv = {}, o: { readonly failpoint?: Failpoint } = {}): Promise<CoordinatorUnderTest> {
    const log: Record<string, unknown>[] = [];
    const logger = createLogger({ service: 'queue-coordinator', level: 'debug', destination: new JsonLines(log) });
    const config = readConfig({ LEASEHOLD_QUEUE_DATABASE_URL: asService(this.databaseUrl), LEASEHOLD_GRPC_PORT: '0', LEASEHOLD_HTTP_PORT: '0', ...env });
    const { lifecycle } = assemble(config, logger, o);
    await lifecycle.start();
    const addresses = lifecycle.addresses();
    const grpcAddress = addresses['grpc-server'] ?? '';
    const queue = createClient(QueueServiceService, grpcAddress);
    const leases = createClient(LeaseServiceService, grpcAddress);
    const rollout = createClient(RolloutServiceService, grpcAddress);
    const started: CoordinatorUnderTest = {
      queue,
      leases,
      rollout,
      grpcAddress,
      httpAddress: addresses['http'] ?? '',
      log,
      drain: async () => void (await lifecycle.stop()),
      stopReport: () => lifecycle.stop(),
      stop: async () => {
        queue.close();
        leases.close();
        rollout.close();
        await lifecycle.stop();
      },
    };
    this.#coordinators.push(started);
    return started;
  }

  /** As after the migrations, under the running coordinators. */
  async reset(): Promise<void> {
    await this.sql.query(`truncate producers, build_records, jobs, finished_jobs, outcomes, settlements, workers, worker_contracts, unreadable_reports, build_suspensions, audit_events, job_events;
      delete from contracts where kind not in ('image', 'import') or version > 1; delete from kind_policies where kind not in ('image', 'import'); update contracts set state = 'open', paused = false, share_percent = 100;
      update kind_policies set lease_ms = 120000, max_run_ms = 600000, max_attempts = 3, retry_initial_ms = 30000, retry_max_ms = 1800000, release_initial_ms = 100, retention_ms = 86400000, failed_retention_ms = null where kind = 'image';
      update kind_policies set lease_ms = 120000, max_run_ms = 1800000, max_attempts = 3, retry_initial_ms = 1000, retry_max_ms = 300000, release_initial_ms = 100 where kind = 'import'`);
    for (const { log } of this.#coordinators) log.length = 0;
  }

  /** Changes the policy of a kind. */
  async policy(set: Readonly<Record<string, number>>, kind = 'image'): Promise<void> {
    for (const [column, value] of Object.entries(set)) await this.sql.query(`update kind_policies set ${pg.escapeIdentifier(column)} = $1 where kind = $2`, [value, kind]);
  }

  /** Lets leases run out, or jobs come due, without waiting: moves the times in the rows back. */
  async age(ms: number): Promise<void> {
    await this.sql.query(
      `update jobs set available_at = available_at - $1 * interval '1 millisecond', enqueued_at = enqueued_at - $1 * interval '1 millisecond', granted_at = granted_at - $1 * interval '1 millisecond',
         expires_at = expires_at - $1 * interval '1 millisecond', run_ends_at = run_ends_at - $1 * interval '1 millisecond'`,
      [ms],
    );
  }

  async close(): Promise<void> {
    for (const coordinator of this.#coordinators) await coordinator.stop();
    await this.sql.end();
  }
}

class JsonLines extends Writable {
  readonly #into: Record<string, unknown>[];

  constructor(into: Record<string, unknown>[]) {
    super();
    this.#into = into;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString('utf8').split('\n')) if (line !== '') this.#into.push(JSON.parse(line));
    done();
  }
}

const serviceRoleName = 'coordinator_under_test';

/** Migrates, and grants the role that coordinators under test connect as: they must get along with what the documented grants give. */
export async function prepare(connectionString: string): Promise<void> {
  await migrate({ connectionString, directory: migrations, logger: silent });
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  // Roles belong to the whole cluster, and several test files may prepare at once.
  const password = pg.escapeLiteral(decodeURIComponent(new URL(connectionString).password));
  await owner.query(`do $do$ begin create role ${serviceRoleName} login password ${password}; exception when duplicate_object or unique_violation then null; end $do$`);
  await owner.end();
  await grantServiceRole({ connectionString, role: serviceRoleName, grants: serviceRole, logger: silent });
}

export function asService(connectionString: string): string {
  const url = new URL(connectionString);
  url.username = serviceRoleName;
  return url.href;
}

const silent: Logger = createLogger({ service: 'test', level: 'fatal' });

export const jobName = (id: string, namespace = 'default', kind = 'image'): string => `namespaces/${namespace}/kinds/${kind}/jobs/${id}`;
export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A job of image@1 whose content is its id. */
export const spec = (id: string, more: Partial<JobSpec> = {}): JobSpec => ({
  name: jobName(id), contractVersion: 1, payload: Buffer.from(id), contentDigest: digestOf(id), priority: 0, delay: undefined, ...more,
});

/** A worker as the coordinator sees one: numbers its calls and lists what it holds. */
export class WorkerUnderTest {
  readonly workerId = randomUUID();
  readonly held = new Set<bigint>();
  readonly build: string;
  answeredSeq = 0n;

  constructor(build = 'image-worker@test') {
    this.build = build;
  }

  async register(coordinator: CoordinatorUnderTest, versions: readonly number[] = [1], kind = 'image'): Promise<this> {
    await coordinator.leases.registerWorker({ workerId: this.workerId, build: this.build, concurrency: 4, contracts: versions.map((version) => ({ kind, version })) });
    return this;
  }

  /** The next acquire's message; it is not sent, so that a test can lose or repeat it. */
  request(more: Partial<AcquireLeasesRequest> = {}): AcquireLeasesRequest {
    return {
      workerId: this.workerId, requestSeq: this.answeredSeq + 1n, answeredSeq: this.answeredSeq, heldFences: [...this.held], kind: 'image', contractVersions: [1], maxLeases: 1,
      wait: durationOfMs(0), ...more,
    };
  }

  /** Acquires and hears the answer. */
  async acquire(coordinator: CoordinatorUnderTest, more: Partial<AcquireLeasesRequest> = {}): Promise<Lease[]> {
    const request = this.request(more);
    const { leases } = await coordinator.leases.acquireLeases(request);
    this.heard(request, leases);
    return leases;
  }

  heard(request: AcquireLeasesRequest, leases: readonly Lease[]): void {
    this.answeredSeq = request.requestSeq;
    for (const lease of leases) this.held.add(lease.fence);
  }

  async extend(coordinator: CoordinatorUnderTest, extensions: readonly LeaseExtension[] = []): ReturnType<CoordinatorUnderTest['leases']['extendLeases']> {
    return coordinator.leases.extendLeases({ workerId: this.workerId, answeredSeq: this.answeredSeq, heldFences: [...this.held], extensions: [...extensions] });
  }

  async settle(coordinator: CoordinatorUnderTest, ...settlements: Settlement[]): ReturnType<CoordinatorUnderTest['leases']['settleLeases']> {
    const answer = await coordinator.leases.settleLeases({ workerId: this.workerId, settlements });
    for (const { fence } of settlements) this.held.delete(fence);
    return answer;
  }
}

const named = ({ enqueueId, leaseToken, fence }: Lease): Omit<Settlement, 'verb'> => ({ enqueueId, leaseToken, fence });
export const complete = (lease: Lease, result = 'done'): Settlement => ({ ...named(lease), verb: { $case: 'complete', value: { result: Buffer.from(result) } } });
export const failTechnical = (lease: Lease, reason = 'STORE_UNAVAILABLE'): Settlement => ({ ...named(lease), verb: { $case: 'fail', value: { reason, faultClass: 2 } } });
export const failContent = (lease: Lease, reason = 'TRUNCATED'): Settlement => ({ ...named(lease), verb: { $case: 'fail', value: { reason, faultClass: 1 } } });
export const release = (lease: Lease, cause: 1 | 2 | 3 = 1): Settlement => ({ ...named(lease), verb: { $case: 'release', value: { cause } } });
export const extension = ({ enqueueId, leaseToken }: Lease): LeaseExtension => ({ enqueueId, leaseToken, progress: undefined });

/** Enqueues one job and answers it. */
export async function enqueueOne(coordinator: CoordinatorUnderTest, id: string, more: Partial<JobSpec> = {}): Promise<Job> {
  const [result] = (await coordinator.queue.enqueueJobs({ jobs: [spec(id, more)] })).results;
  return jobOf(result);
}

export function jobOf(result: EnqueueResult | undefined): Job {
  if (result?.job === undefined) throw new Error(`not enqueued: ${result?.message ?? 'no answer'}`);
  return result.job;
}

/** The only lease of an answer. */
export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`expected one, got ${items.length}`);
  return item;
}

export const getJob = async (coordinator: CoordinatorUnderTest, id: string, kind = 'image'): Promise<Job> => {
  const { job } = await coordinator.queue.getJob({ name: jobName(id, 'default', kind) });
  if (job === undefined) throw new Error(`${id} was not answered`);
  return job;
};

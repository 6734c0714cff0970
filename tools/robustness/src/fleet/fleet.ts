import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesClient } from '@leasehold/client';
import type { Failpoint } from '@leasehold/image-worker';
import type { Failpoint as ImportFailpoint } from '@leasehold/import-worker';
import { openEmbeddedStore, type EmbeddedStore } from '@leasehold/object-store';
import { freePort } from '@leasehold/test-stack';
import pg from 'pg';
import type { Databases } from './databases.js';
import { setPolicy, type KindPolicy } from './kind-policy.js';
import { Member } from './member.js';
import { programs, type Programs } from './programs.js';
import { FaultyProxy } from '../network/faulty-proxy.js';
import type { Mischief } from '../network/mischief.js';

export interface FleetOptions {
  readonly databases: Databases;
  /** Default 1. */
  readonly coordinators?: number;
  /** Default 1. */
  readonly ingests?: number;
  /** Default: short. */
  readonly policy?: KindPolicy;
  /** Puts a proxy that obeys it before every coordinator and ingest. */
  readonly mischief?: Mischief;
  /** Over the settings of each coordinator. */
  readonly coordinatorEnv?: Readonly<Record<string, string>>;
  /** Over the settings of each ingest. */
  readonly ingestEnv?: Readonly<Record<string, string>>;
  /** A file per process is written here. */
  readonly logFolder?: string;
  /** Other programs than those of the workspace: of a release. */
  readonly programs?: Partial<Programs>;
  /** Other programs for single ingests, in their order. */
  readonly ingestPrograms?: readonly Partial<Programs>[];
  /** Over the settings of single ingests, in their order. */
  readonly ingestEnvs?: readonly Readonly<Record<string, string>>[];
}

export interface WorkerOptions {
  /** Where its runs stand still until SIGUSR2. */
  readonly failpoints?: readonly Failpoint[];
  /** How many runs stand still, all in all; default every one. */
  readonly stops?: number;
  /** Reaches the coordinators past their proxies. */
  readonly direct?: boolean;
  /** Other programs than the fleet's: of a release. */
  readonly programs?: Partial<Programs>;
  readonly env?: Readonly<Record<string, string>>;
}

/** As of a worker for photos. */
export type ImportWorkerOptions = Omit<WorkerOptions, 'failpoints'> & { readonly failpoints?: readonly ImportFailpoint[] };

/** Where a service listens, and what stands before it. */
interface Place {
  readonly port: number;
  readonly httpPort: number;
  readonly proxy: FaultyProxy | undefined;
}

interface Places {
  readonly coordinators: readonly Place[];
  readonly ingests: readonly Place[];
}

const host = '127.0.0.1';
const secret = 'signs the URLs of the robustness tests';
const hour = 3_600_000;
const timesOfCards = ['expire_time', 'confirm_time', 'queue_time', 'delete_time', 'outcome_time', 'cancel_confirmed_at', 'sweep_due'];

/** Leasehold as it runs in production: processes of its own programs on one PostgreSQL and one store. They are started one by one, or all by start(). */
export class Fleet {
  readonly coordinators: readonly Member[];
  readonly ingests: readonly Member[];
  readonly workers: Member[] = [];
  /** Where callers reach the coordinators, and the ingests' gRPC, also while they are down. */
  readonly coordinatorAddresses: readonly string[];
  readonly ingestAddresses: readonly string[];
  readonly store: EmbeddedStore;
  /** To look into the databases, and to shorten policies and times. */
  readonly queue: pg.Pool;
  readonly records: pg.Pool;
  readonly files: FilesClient;
  readonly #o: FleetOptions;
  readonly #places: Places;
  readonly #programs: Programs;

  private constructor(o: FleetOptions, store: EmbeddedStore, places: Places) {
    this.#o = o;
    this.#places = places;
    this.#programs = { ...programs, ...o.programs };
    this.store = store;
    this.queue = poolTo(o.databases.queue);
    this.records = poolTo(o.databases.records);
    this.coordinatorAddresses = places.coordinators.map(({ proxy, port }) => proxy?.address ?? `${host}:${port}`);
    this.ingestAddresses = places.ingests.map(({ proxy, port }) => proxy?.address ?? `${host}:${port}`);
    this.coordinators = places.coordinators.map(({ port }, i) => this.#coordinator(`coordinator-${i + 1}`, port));
    this.ingests = places.ingests.map(({ port, httpPort }, i) => this.#ingest(`ingest-${i + 1}`, { ...this.#programs, ...o.ingestPrograms?.[i] }.ingest, port, httpPort, o.ingestEnvs?.[i]));
    this.files = new FilesClient({ address: this.ingestAddresses });
  }

  /** Addresses, store and policy; no process yet. */
  static async prepare(o: FleetOptions): Promise<Fleet> {
    const place = async (): Promise<Place> => {
      const port = await freePort();
      return { port, httpPort: await freePort(), proxy: o.mischief === undefined ? undefined : await FaultyProxy.before(`${host}:${port}`, o.mischief) };
    };
    const places = (count = 1): Promise<Place[]> => Promise.all(Array.from({ length: count }, place));
    const store = await openEmbeddedStore({ directory: await mkdtemp(join(tmpdir(), 'leasehold-robustness-')) });
    const fleet = new Fleet(o, store, { coordinators: await places(o.coordinators), ingests: await places(o.ingests) });
    await setPolicy(fleet.queue, o.policy ?? {});
    return fleet;
  }

  get members(): Member[] {
    return [...this.coordinators, ...this.ingests, ...this.workers];
  }

  /** The first one. */
  get coordinator(): Member {
    return first(this.coordinators);
  }

  /** The first one. */
  get ingest(): Member {
    return first(this.ingests);
  }

  /** Starts every coordinator and ingest. */
  async start(): Promise<this> {
    await Promise.all([...this.coordinators, ...this.ingests].map((member) => member.start()));
    return this;
  }

  /** A further worker; it is not started. One picture at a time. */
  worker(o: WorkerOptions = {}): Member {
    const worker = this.#member(`worker-${this.workers.length + 1}`, this.#programsOf(o)[o.failpoints === undefined ? 'worker' : 'workerWithFailpoints'], {
      ...this.#workerEnv(o),
      LEASEHOLD_WORKER_PREFETCH: '0',
      ...o.env,
    });
    this.workers.push(worker);
    return worker;
  }

  /** A further worker for shipments; it is not started. One shipment at a time. */
  importWorker(o: ImportWorkerOptions = {}): Member {
    const worker = this.#member(`import-worker-${this.workers.length + 1}`, this.#programsOf(o)[o.failpoints === undefined ? 'importWorker' : 'importWorkerWithFailpoints'], {
      ...this.#workerEnv(o),
      LEASEHOLD_RECORDS_DATABASE_URL: this.#o.databases.records,
      ...o.env,
    });
    this.workers.push(worker);
    return worker;
  }

  /** The figure over all processes that run. Each may show it as it was 2 s ago, and counts only after what it counts can be seen elsewhere: poll it. */
  async figure(metric: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const values = await Promise.all(this.members.filter((member) => member.runs).map((member) => member.figure(metric, labels)));
    return values.reduce((sum, value) => sum + value, 0);
  }

  async policy(policy: KindPolicy): Promise<void> {
    await setPolicy(this.queue, policy);
  }

  /** Makes everything that happened to cards lie so far back that safety intervals are over. */
  async ageCards(ms = 2 * hour): Promise<void> {
    await this.records.query(`update files set ${timesOfCards.map((time) => `${time} = ${time} - $1 * interval '1 millisecond'`).join(', ')}`, [ms]);
  }

  /** Ends what runs, by SIGKILL, and removes the store. */
  async end(): Promise<void> {
    await Promise.all(this.members.filter((member) => member.runs).map((member) => member.kill()));
    this.files.close();
    const { coordinators, ingests } = this.#places;
    await Promise.all([this.queue.end(), this.records.end(), ...[...coordinators, ...ingests].map(({ proxy }) => proxy?.stop())]);
    await rm(this.store.directory, { recursive: true, force: true });
  }

  #programsOf({ programs = {} }: WorkerOptions | ImportWorkerOptions): Programs {
    return { ...this.#programs, ...programs };
  }

  #workerEnv(o: WorkerOptions | ImportWorkerOptions): Record<string, string> {
    return {
      LEASEHOLD_COORDINATORS: (o.direct === true ? this.#places.coordinators.map(({ port }) => `${host}:${port}`) : this.coordinatorAddresses).join(','),
      LEASEHOLD_STORE_DIR: this.store.directory,
      LEASEHOLD_WORKER_CONCURRENCY: '1',
      LEASEHOLD_LEASE_MARGIN: '1s',
      LEASEHOLD_HTTP_PORT: '0',
      ...(o.failpoints === undefined ? {} : { LEASEHOLD_FAILPOINTS: o.failpoints.join(',') }),
      ...(o.stops === undefined ? {} : { LEASEHOLD_FAILPOINT_STOPS: String(o.stops) }),
    };
  }

  #coordinator(name: string, port: number): Member {
    return this.#member(name, this.#programs.coordinator, { LEASEHOLD_QUEUE_DATABASE_URL: this.#o.databases.queue, LEASEHOLD_GRPC_PORT: String(port), LEASEHOLD_HTTP_PORT: '0', ...this.#o.coordinatorEnv });
  }

  #ingest(name: string, program: string, grpcPort: number, httpPort: number, env: Readonly<Record<string, string>> = {}): Member {
    return this.#member(name, program, {
      LEASEHOLD_RECORDS_DATABASE_URL: this.#o.databases.records,
      LEASEHOLD_COORDINATORS: this.coordinatorAddresses.join(','),
      LEASEHOLD_STORE_DIR: this.store.directory,
      LEASEHOLD_SIGNING_SECRET: secret,
      LEASEHOLD_PUBLIC_URL: `http://${host}:${httpPort}`,
      LEASEHOLD_GRPC_PORT: String(grpcPort),
      LEASEHOLD_HTTP_PORT: String(httpPort),
      // What a killed instance had taken is taken over after twice this and 5 s.
      LEASEHOLD_COORDINATOR_TIMEOUT: '2s',
      LEASEHOLD_RELAY_EVERY: '200ms',
      LEASEHOLD_HEAL_AFTER: '2s',
      LEASEHOLD_HEAL_EVERY: '500ms',
      LEASEHOLD_SWEEP_EVERY: '200ms',
      LEASEHOLD_WATCH_PROGRESS_EVERY: '200ms',
      LEASEHOLD_FIGURES_EVERY: '500ms',
      ...this.#o.ingestEnv,
      ...env,
    });
  }

  #member(name: string, program: string, env: Readonly<Record<string, string>>): Member {
    const { logFolder } = this.#o;
    return new Member({ name, program, env, ...(logFolder === undefined ? {} : { logFile: join(logFolder, `${name}.log`) }) });
  }
}

function first(members: readonly Member[]): Member {
  const [member] = members;
  if (member === undefined) throw new Error('the fleet has none');
  return member;
}

function poolTo(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  // A server that is killed breaks idle connections; without a listener that would end this process.
  pool.on('error', () => undefined);
  return pool;
}

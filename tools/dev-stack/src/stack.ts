import { StackFault, type PostgresServer } from '@leasehold/test-stack';
import { openDataFolder, setLogsAside, signingSecret, type DataFolder } from './data/folder.js';
import { endLeftovers } from './data/leftovers.js';
import { lockFolder } from './data/stack-lock.js';
import { storePlace, type StorePlace } from './data/store-place.js';
import { dispatchByPostgres, dispatcherOf, openRedis, type RedisPlace } from './dispatch/redis-place.js';
import { restoreLease } from './failover/kind-policy.js';
import { migrate, startServer, type DatabaseUrls } from './processes/databases.js';
import { Launcher, type LauncherOptions } from './processes/launcher.js';
import { defaultPorts } from './processes/ports.js';
import { concurrencyOf, coordinator, imageWorker, importWorker, ingest, shortLeaseWorker } from './processes/programs.js';
import type { Service } from './processes/service.js';

export interface StackOptions extends Pick<LauncherOptions, 'signal' | 'onUp' | 'onNote'> {
  /** Absolute path of the data folder; made when missing. */
  readonly data: string;
  readonly workers: number;
  readonly coordinators: number;
  /** URL of the bucket that pictures are kept in; unset: in the data folder. */
  readonly s3?: string | undefined;
  /** URL of a Redis, or `none`; unset: one of the stack's own, if this machine has one. */
  readonly redis?: string | undefined;
}

/**
 * Starts everything, each service a process of its own, and waits until all of it is ready. Rejects with a StackFault of one line, or the
 * signal's reason; nothing runs any more then.
 */
export async function startStack(o: StackOptions): Promise<Stack> {
  const folder = await openDataFolder(o.data);
  const store = storePlace(folder.store, o.s3);
  const stack = new Stack(o, folder, store, await lockFolder(folder));
  try {
    await stack.start();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** What runs. Made by startStack. */
export class Stack {
  readonly folder: DataFolder;
  readonly store: StorePlace;
  readonly #o: StackOptions;
  readonly #unlock: () => Promise<void>;
  readonly #launcher: Launcher;
  readonly #broken = new AbortController();
  readonly #coordinators: Service[] = [];
  readonly #workers = new Set<Service>();
  #postgres: PostgresServer | undefined;
  #ingest: Service | undefined;
  #importWorker: Service | undefined;
  #redis: RedisPlace | undefined;
  #dispatcher = '';
  #stopped: Promise<void> | undefined;

  constructor(o: StackOptions, folder: DataFolder, store: StorePlace, unlock: () => Promise<void>) {
    this.#o = o;
    this.folder = folder;
    this.store = store;
    this.#unlock = unlock;
    this.#launcher = new Launcher({ ...o, folder, onBroken: this.#break });
  }

  /** Aborts with a StackFault when a part ends that was not asked to. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  get postgres(): PostgresServer {
    return started(this.#postgres);
  }

  get coordinators(): readonly Service[] {
    return this.#coordinators;
  }

  get ingest(): Service {
    return started(this.#ingest);
  }

  get importWorker(): Service {
    return started(this.#importWorker);
  }

  /** Undefined: PostgreSQL dispatches. */
  get redis(): RedisPlace | undefined {
    return this.#redis;
  }

  /** Who dispatches imports: `postgres` or `bullmq`, as the kind's policy says. */
  get dispatcher(): string {
    return this.#dispatcher;
  }

  get workers(): readonly Service[] {
    return [...this.#workers];
  }

  /** For startStack alone. */
  async start(): Promise<void> {
    const { signal, onNote, coordinators } = this.#o;
    const killed = await endLeftovers(this.folder.processes);
    if (killed > 0) onNote(`ended ${killed} ${killed === 1 ? 'process' : 'processes'} that an interrupted run had left`);
    await setLogsAside(this.folder);
    const server = await this.#launcher.timed('PostgreSQL', async () => {
      this.#postgres = await startServer(this.#launcher, { folder: this.folder, onNote, onBroken: this.#break });
      return this.#postgres;
    }, ({ port }) => `127.0.0.1:${port}`);
    signal.throwIfAborted();
    const urls = await this.#launcher.timed('database schemas', () => migrate(this.#launcher, server), () => 'queue, records');
    await restoreLease(urls.queue, this.folder);
    await this.#findRedis(urls);
    await all(Array.from({ length: coordinators }, (_, index) => this.#startCoordinator(index, urls.queue)));
    this.#dispatcher = await dispatcherOf(urls.queue, 'import');
    await all([this.#startIngest(urls.records), this.startWorkers(), this.#startImportWorker(urls.records)]);
  }

  /** The stack's usual workers. */
  async startWorkers(): Promise<void> {
    const { workers } = this.#o;
    await all(Array.from({ length: workers }, (_, index) => {
      const name = numbered('image-worker', index, workers);
      return this.#launcher.timed(name, async () => {
        const service = await this.#launcher.service(async () => imageWorker({ ...this.#shared, name, concurrency: concurrencyOf(workers), http: await this.#launcher.ports.take(defaultPorts.worker.http + index, name) }));
        this.#workers.add(service);
        return service;
      }, ({ http }) => `health http://${http}/readyz`);
    }));
  }

  /** One more worker, for leases of a few seconds; `stopsAt`: where it stands still until it gets SIGUSR2. */
  async startShortLeaseWorker(o: { readonly name: string; readonly stopsAt?: 'stored' }): Promise<Service> {
    const service = await this.#launcher.service(async () => shortLeaseWorker({ ...this.#shared, ...o, concurrency: 1, http: 0 }));
    this.#workers.add(service);
    return service;
  }

  async stopWorkers(workers: Iterable<Service> = this.#workers): Promise<void> {
    await Promise.all(Array.from(workers, async (worker) => {
      await worker.stop();
      this.#workers.delete(worker);
    }));
  }

  /** Workers, ingest, coordinators, Redis, PostgreSQL. Safe to call twice, and after half a start. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopAll());
  }

  async #stopAll(): Promise<void> {
    await Promise.all([this.stopWorkers(), this.#importWorker?.stop()]);
    await this.#ingest?.stop();
    await Promise.all(this.#coordinators.map((service) => service.stop()));
    await this.#redis?.stop();
    await this.#postgres?.stop();
    await this.#unlock();
  }

  async #findRedis(urls: DatabaseUrls): Promise<void> {
    const startedAt = performance.now();
    const { ports } = this.#launcher;
    this.#redis = await openRedis(this.#o.redis, this.folder, () => ports.take(defaultPorts.redis, 'Redis'));
    if (this.#redis === undefined) await dispatchByPostgres(urls.queue);
    else this.#o.onUp({ name: 'Redis', where: new URL(this.#redis.url).host, ms: performance.now() - startedAt });
  }

  async #startImportWorker(databaseUrl: string): Promise<void> {
    const name = 'import-worker';
    await this.#launcher.timed(name, async () => {
      this.#importWorker = await this.#launcher.service(async () => importWorker({ ...this.#shared, databaseUrl, http: await this.#launcher.ports.take(defaultPorts.importWorker.http, name) }));
      return this.#importWorker;
    }, ({ http }) => `health http://${http}/readyz`);
  }

  async #startCoordinator(index: number, databaseUrl: string): Promise<void> {
    const name = numbered('queue-coordinator', index, this.#o.coordinators);
    const { ports } = this.#launcher;
    const { grpc, http } = defaultPorts.coordinator;
    await this.#launcher.timed(name, async () => {
      const service = await this.#launcher.service(async () => coordinator({ name, databaseUrl, redis: this.#redis, grpc: await ports.take(grpc + 2 * index, name), http: await ports.take(http + 2 * index, name) }));
      this.#coordinators.push(service);
      return service;
    }, gRpcOf);
  }

  async #startIngest(databaseUrl: string): Promise<void> {
    const { ports } = this.#launcher;
    const { grpc, http } = defaultPorts.ingest;
    const secret = await signingSecret(this.folder);
    await this.#launcher.timed('ingest', async () => {
      this.#ingest = await this.#launcher.service(async () => ingest({ ...this.#shared, databaseUrl, redis: this.#redis, secret, grpc: await ports.take(grpc, 'ingest'), http: await ports.take(http, 'ingest') }));
      return this.#ingest;
    }, gRpcOf);
  }

  get #shared(): { readonly coordinators: string; readonly store: string } {
    return { coordinators: this.#coordinators.flatMap(({ grpc }) => grpc ?? []).join(','), store: this.store.location };
  }

  readonly #break = (fault: StackFault): void => {
    if (this.#stopped === undefined) this.#broken.abort(fault);
  };
}

// Waits for every one also when one fails: what is still starting could not be stopped.
async function all(starts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const numbered = (name: string, index: number, count: number): string => (count === 1 ? name : `${name}-${index + 1}`);

const gRpcOf = ({ grpc }: Service): string => `gRPC ${grpc ?? 'nowhere'}`;

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the stack is not started');
  return part;
}

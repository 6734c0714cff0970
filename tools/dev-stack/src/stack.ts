import { StackFault, startPostgres, type PostgresServer } from '@leasehold/test-stack';
import { join } from 'node:path';
import { openDataFolder, setLogsAside, signingSecret, type DataFolder } from './data/folder.js';
import { endLeftovers, remember } from './data/leftovers.js';
import { lockFolder } from './data/stack-lock.js';
import { restoreLease } from './failover/kind-policy.js';
import { endReason } from './processes/end-reason.js';
import { defaultPorts, Ports } from './processes/ports.js';
import { concurrencyOf, coordinator, imageWorker, ingest, migrations, shortLeaseWorker, type Program } from './processes/programs.js';
import { logOf, PortLost, startProgram, startService, type Service } from './processes/service.js';

export interface StackOptions {
  /** Absolute path of the data folder; made when missing. */
  readonly data: string;
  readonly workers: number;
  readonly coordinators: number;
  /** Gives the start up. */
  readonly signal: AbortSignal;
  /** Told of each part once it is up. */
  readonly onUp: (part: { readonly name: string; readonly where: string; readonly ms: number }) => void;
  readonly onNote: (text: string) => void;
}

const startAttempts = 3;

/**
 * Starts everything, each service a process of its own, and waits until all of it is ready. Rejects with a StackFault of one line, or the
 * signal's reason; nothing runs any more then.
 */
export async function startStack(o: StackOptions): Promise<Stack> {
  const folder = await openDataFolder(o.data);
  const unlock = await lockFolder(folder);
  const stack = new Stack(o, folder, unlock);
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
  readonly #o: StackOptions;
  readonly #unlock: () => Promise<void>;
  readonly #ports: Ports;
  readonly #broken = new AbortController();
  readonly #coordinators: Service[] = [];
  readonly #workers = new Set<Service>();
  #postgres: PostgresServer | undefined;
  #ingest: Service | undefined;
  #stopped: Promise<void> | undefined;

  constructor(o: StackOptions, folder: DataFolder, unlock: () => Promise<void>) {
    this.#o = o;
    this.folder = folder;
    this.#unlock = unlock;
    this.#ports = new Ports(o.onNote);
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

  get workers(): readonly Service[] {
    return [...this.#workers];
  }

  async start(): Promise<void> {
    const { coordinators, signal } = this.#o;
    const killed = await endLeftovers(this.folder.processes);
    if (killed > 0) this.#o.onNote(`ended ${killed} ${killed === 1 ? 'process' : 'processes'} that an interrupted run had left`);
    await setLogsAside(this.folder);
    const databases = await this.#timed('PostgreSQL', () => this.#startPostgres(), () => `127.0.0.1:${this.postgres.port}`);
    signal.throwIfAborted();
    await this.#timed('database schemas', () => this.#migrate(databases), () => 'queue, records');
    await all(Array.from({ length: coordinators }, (_, index) => this.#startCoordinator(index, databases.queue)));
    await all([this.#startIngest(databases.records), this.startWorkers()]);
  }

  /** The stack's usual workers. */
  async startWorkers(): Promise<void> {
    const { workers } = this.#o;
    await all(Array.from({ length: workers }, async (_, index) => {
      const name = numbered('image-worker', index, workers);
      const wanted = defaultPorts.worker.http + index;
      const shared = { name, coordinators: this.#coordinatorAddresses(), store: this.folder.store, concurrency: concurrencyOf(workers) };
      await this.#timed(name, async () => {
        const service = await this.#withPorts(async () => imageWorker({ ...shared, http: await this.#ports.take(wanted, name) }));
        this.#workers.add(service);
        return service;
      }, ({ http }) => `health http://${http}/readyz`);
    }));
  }

  /** One more worker, for leases of a few seconds; `stopsAt`: where it stands still until it gets SIGUSR2. */
  async startShortLeaseWorker(o: { readonly name: string; readonly stopsAt?: 'stored' }): Promise<Service> {
    const service = await this.#watched(shortLeaseWorker({ ...o, coordinators: this.#coordinatorAddresses(), store: this.folder.store, concurrency: 1, http: 0 }));
    this.#workers.add(service);
    return service;
  }

  async stopWorkers(workers: Iterable<Service> = this.#workers): Promise<void> {
    await Promise.all(Array.from(workers, async (worker) => {
      await worker.stop();
      this.#workers.delete(worker);
    }));
  }

  /** Workers, ingest, coordinators, PostgreSQL. Safe to call twice, and after half a start. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopAll());
  }

  async #stopAll(): Promise<void> {
    await this.stopWorkers();
    await this.#ingest?.stop();
    await Promise.all(this.#coordinators.map((service) => service.stop()));
    await this.#postgres?.stop();
    await this.#unlock();
  }

  async #startPostgres(): Promise<{ readonly queue: string; readonly records: string }> {
    const { folder } = this;
    const server = await this.#retried(async () => startPostgres({ dataDir: folder.postgres, port: await this.#ports.take(defaultPorts.postgres, 'PostgreSQL'), logFile: join(folder.logs, 'postgres.log') }));
    this.#postgres = server;
    await remember(folder.processes, server.pid);
    void server.exited.then(() => this.#break(new StackFault(`PostgreSQL (process ${server.pid}) has ended; see ${logOf({ name: 'postgres' }, folder)}`)), () => undefined);
    if (server.dataDir !== folder.postgres) this.#o.onNote(`PostgreSQL cannot reach ${folder.postgres} as the unprivileged user that it runs as; its data is in ${server.dataDir}`);
    const [queue, records] = await Promise.all([server.ensureDatabase('queue'), server.ensureDatabase('records')]);
    return { queue, records };
  }

  async #migrate({ queue, records }: { readonly queue: string; readonly records: string }): Promise<void> {
    await Promise.all(migrations(queue, records).map(async (program) => {
      const process = await startProgram(program, this.folder);
      const { code } = await process.exited;
      if (code !== 0) throw new StackFault(`${program.name} failed: ${endReason(process)}; see ${logOf(program, this.folder)}`);
    }));
    await restoreLease(queue, this.folder);
  }

  async #startCoordinator(index: number, databaseUrl: string): Promise<void> {
    const name = numbered('queue-coordinator', index, this.#o.coordinators);
    const { grpc, http } = defaultPorts.coordinator;
    await this.#timed(name, async () => {
      const service = await this.#withPorts(async () => coordinator({ name, databaseUrl, grpc: await this.#ports.take(grpc + 2 * index, name), http: await this.#ports.take(http + 2 * index, name) }));
      this.#coordinators.push(service);
      return service;
    }, gRpcOf);
  }

  async #startIngest(databaseUrl: string): Promise<void> {
    const { grpc, http } = defaultPorts.ingest;
    const secret = await signingSecret(this.folder);
    await this.#timed('ingest', async () => {
      const shared = { databaseUrl, coordinators: this.#coordinatorAddresses(), store: this.folder.store, secret };
      this.#ingest = await this.#withPorts(async () => ingest({ ...shared, grpc: await this.#ports.take(grpc, 'ingest'), http: await this.#ports.take(http, 'ingest') }));
      return this.#ingest;
    }, gRpcOf);
  }

  #coordinatorAddresses(): string {
    return this.#coordinators.flatMap(({ grpc }) => grpc ?? []).join(',');
  }

  #withPorts(program: () => Promise<Program>): Promise<Service> {
    return this.#retried(async () => this.#watched(await program()));
  }

  async #watched(program: Program): Promise<Service> {
    const service = await startService(program, this.folder, this.#o.signal);
    void service.failure.then((fault) => this.#break(fault));
    return service;
  }

  /** Again, on other ports, when somebody was quicker. */
  async #retried<T>(start: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await start();
      } catch (error) {
        if (!isPortLost(error) || attempt >= startAttempts) throw error;
      }
    }
  }

  async #timed<T>(name: string, start: () => Promise<T>, where: (part: T) => string): Promise<T> {
    const startedAt = performance.now();
    const part = await start();
    this.#o.onUp({ name, where: where(part), ms: performance.now() - startedAt });
    return part;
  }

  #break(fault: StackFault): void {
    if (this.#stopped === undefined) this.#broken.abort(fault);
  }
}

// Waits for every one also when one fails: what is still starting could not be stopped.
async function all(starts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const numbered = (name: string, index: number, count: number): string => (count === 1 ? name : `${name}-${index + 1}`);

const gRpcOf = ({ grpc }: Service): string => `gRPC ${grpc ?? 'nowhere'}`;

const isPortLost = (error: unknown): boolean => error instanceof PortLost || (error instanceof StackFault && /^port \d+ on \S+ is taken/.test(error.message));

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the stack is not started');
  return part;
}

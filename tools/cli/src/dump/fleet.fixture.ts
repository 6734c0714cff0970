import { fileURLToPath } from 'node:url';
import { FilesClient, ImportsClient } from '@leasehold/client';
import { programs as imageWorker, type Failpoint } from '@leasehold/image-worker';
import { programs as importWorker, type Failpoint as ImportFailpoint } from '@leasehold/import-worker';
import { entryPoints as ingest } from '@leasehold/ingest';
import { freePort, startProcess, type ServiceProcess } from '@leasehold/test-stack';
import type { Pair } from './dump.fixture.js';

const host = '127.0.0.1';
const coordinator = fileURLToPath(new URL('main.js', import.meta.resolve('@leasehold/queue-coordinator')));

export interface FleetOptions {
  readonly databases: Pair;
  /** The object store's folder. */
  readonly store: string;
  /** Over the coordinator's settings. */
  readonly coordinatorEnv?: Readonly<Record<string, string>>;
}

/** Real processes on two databases: a coordinator, an ingest, and workers as they are asked for. */
export class Fleet {
  readonly files: FilesClient;
  readonly imports: ImportsClient;
  readonly ingest: ServiceProcess;
  readonly coordinator: ServiceProcess;
  readonly #workers: ServiceProcess[] = [];
  readonly #o: FleetOptions;
  readonly #coordinatorAddress: string;

  private constructor(o: FleetOptions, coordinatorAddress: string, ingestAddress: string, processes: { coordinator: ServiceProcess; ingest: ServiceProcess }) {
    this.#o = o;
    this.#coordinatorAddress = coordinatorAddress;
    this.coordinator = processes.coordinator;
    this.ingest = processes.ingest;
    this.files = new FilesClient({ address: ingestAddress });
    this.imports = new ImportsClient({ address: ingestAddress });
  }

  static async start(o: FleetOptions): Promise<Fleet> {
    const [queuePort, ingestPort, httpPort] = [await freePort(), await freePort(), await freePort()];
    const queueAddress = `${host}:${queuePort}`;
    const started = await Promise.all([
      serving('coordinator', coordinator, { LEASEHOLD_QUEUE_DATABASE_URL: o.databases.queue, LEASEHOLD_GRPC_PORT: String(queuePort), LEASEHOLD_HTTP_PORT: '0', ...o.coordinatorEnv }),
      serving('ingest', fileURLToPath(ingest.main), {
        LEASEHOLD_RECORDS_DATABASE_URL: o.databases.records, LEASEHOLD_COORDINATORS: queueAddress, LEASEHOLD_STORE_DIR: o.store, LEASEHOLD_SIGNING_SECRET: 'signs the URLs of the tests of restoring',
        LEASEHOLD_PUBLIC_URL: `http://${host}:${httpPort}`, LEASEHOLD_GRPC_PORT: String(ingestPort), LEASEHOLD_HTTP_PORT: String(httpPort),
        LEASEHOLD_RELAY_EVERY: '200ms', LEASEHOLD_HEAL_AFTER: '2s', LEASEHOLD_HEAL_EVERY: '500ms', LEASEHOLD_OUTCOMES_WAIT: '500ms',
      }),
    ]);
    return new Fleet(o, queueAddress, `${host}:${ingestPort}`, { coordinator: started[0], ingest: started[1] });
  }

  /** A further worker for photos, one at a time; with failpoints its first run stands still there. */
  async imageWorker(failpoint?: Failpoint): Promise<ServiceProcess> {
    const worker = await serving('image-worker', failpoint === undefined ? imageWorker.worker : imageWorker.workerWithFailpoints, {
      LEASEHOLD_COORDINATORS: this.#coordinatorAddress, LEASEHOLD_STORE_DIR: this.#o.store, LEASEHOLD_HTTP_PORT: '0',
      LEASEHOLD_WORKER_CONCURRENCY: '1', LEASEHOLD_WORKER_PREFETCH: '0', LEASEHOLD_LEASE_MARGIN: '1s',
      ...(failpoint === undefined ? {} : { LEASEHOLD_FAILPOINTS: failpoint, LEASEHOLD_FAILPOINT_STOPS: '1' }),
    });
    this.#workers.push(worker);
    return worker;
  }

  /** A further worker for shipments, one at a time; with a failpoint its first run stands still there. */
  async importWorker(failpoint?: ImportFailpoint): Promise<ServiceProcess> {
    const worker = await serving('import-worker', failpoint === undefined ? importWorker.worker : importWorker.workerWithFailpoints, {
      LEASEHOLD_COORDINATORS: this.#coordinatorAddress, LEASEHOLD_STORE_DIR: this.#o.store, LEASEHOLD_RECORDS_DATABASE_URL: this.#o.databases.records, LEASEHOLD_HTTP_PORT: '0',
      LEASEHOLD_WORKER_CONCURRENCY: '1', LEASEHOLD_LEASE_MARGIN: '1s',
      ...(failpoint === undefined ? {} : { LEASEHOLD_FAILPOINTS: failpoint, LEASEHOLD_FAILPOINT_STOPS: '1' }),
    });
    this.#workers.push(worker);
    return worker;
  }

  /** By SIGKILL: what a disaster leaves. */
  async kill(): Promise<void> {
    this.files.close();
    this.imports.close();
    for (const member of [...this.#workers, this.ingest, this.coordinator]) {
      member.kill('SIGKILL');
      await member.exited;
    }
  }
}

async function serving(name: string, program: string, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const running = await startProcess({ name, args: [program], env });
  await running.waitForEvent(({ event }) => event === 'service_started', { timeoutMs: 25_000 });
  return running;
}

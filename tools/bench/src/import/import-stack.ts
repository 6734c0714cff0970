import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { programs } from '@leasehold/import-worker';
import { ImportPayload } from '@leasehold/jobs-imports-v1';
import { openStore, type ObjectStore } from '@leasehold/object-store';
import { createPool, type Database } from '@leasehold/postgres';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, type ClientOf } from '@leasehold/rpc';
import { createLogger } from '@leasehold/service';
import { Ledger, migrateLedger } from '@leasehold/stock-ledger';
import { freePort, startPostgres, startProcess, type PostgresServer, type ServiceProcess } from '@leasehold/test-stack';
import { startCoordinator } from '../coordinator.js';
import { cpuSeconds } from '../image/cpu-time.js';
import { peakMemoryBytes } from './peak-memory.js';

const logger = createLogger({ service: 'bench', level: 'error' });
const namespace = 'default';

/** What imports run on: PostgreSQL with fsync on, a coordinator, one import worker at a time. This process stands in for ingest: it stores files, has the ledger accept them and enqueues their jobs. */
export class ImportStack {
  readonly #postgres: PostgresServer;
  readonly #coordinator: ServiceProcess;
  readonly #queue: ClientOf<typeof QueueServiceService>;
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #store: ObjectStore;
  readonly #workerEnvironment: Record<string, string>;
  readonly recordsUrl: string;
  #worker: ServiceProcess | undefined;
  #imports = 0;

  private constructor(o: { postgres: PostgresServer; coordinator: ServiceProcess; grpcPort: number; recordsUrl: string; store: ObjectStore; storeDirectory: string }) {
    this.#postgres = o.postgres;
    this.#coordinator = o.coordinator;
    this.#queue = createClient(QueueServiceService, `127.0.0.1:${o.grpcPort}`);
    this.#db = createPool({ connectionString: o.recordsUrl, applicationName: 'bench', logger });
    this.#ledger = new Ledger(this.#db);
    this.#store = o.store;
    this.recordsUrl = o.recordsUrl;
    this.#workerEnvironment = {
      LEASEHOLD_COORDINATORS: `127.0.0.1:${o.grpcPort}`, LEASEHOLD_RECORDS_DATABASE_URL: o.recordsUrl, LEASEHOLD_STORE: o.storeDirectory, LEASEHOLD_HTTP_PORT: '0', LEASEHOLD_WORKER_CONCURRENCY: '1',
    };
  }

  static async start(folder: string): Promise<ImportStack> {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { shared_buffers: '256MB', max_wal_size: '4GB' } });
    try {
      const [queueUrl, recordsUrl] = [await postgres.ensureDatabase('queue'), await postgres.ensureDatabase('records')];
      await migrateLedger({ connectionString: recordsUrl, logger });
      const grpcPort = await freePort();
      const coordinator = await startCoordinator(queueUrl, grpcPort);
      const storeDirectory = join(folder, 'objects');
      const { store } = await openStore({ kind: 'embedded', directory: storeDirectory });
      return new ImportStack({ postgres, coordinator, grpcPort, recordsUrl, store, storeDirectory });
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  async startWorker(): Promise<void> {
    this.#worker = await startProcess({ name: 'import-worker', args: [programs.worker], env: this.#workerEnvironment });
    await this.#worker.waitForEvent((event) => event['event'] === 'service_started');
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
  }

  /** CPU seconds so far of PostgreSQL, and of the worker that runs; undefined where they cannot be told. */
  cpuSeconds(): { readonly postgres: number | undefined; readonly worker: number | undefined } {
    return { postgres: cpuSeconds(this.#postgres.pid), worker: this.#worker === undefined ? undefined : cpuSeconds(this.#worker.pid) };
  }

  /** Of the worker that runs, since it was started. */
  peakMemoryBytes(): number | undefined {
    return this.#worker === undefined ? undefined : peakMemoryBytes(this.#worker.pid);
  }

  /** Seconds from the moment at which the worker has been granted the job to its being told that the ledger has applied it, by the worker's own log. */
  async import(path: string): Promise<number> {
    const worker = this.#worker;
    if (worker === undefined) throw new Error('no worker runs');
    const jobId = await this.#submit(path);
    const timeoutMs = 1_800_000;
    const ended = await worker.waitForEvent((event) => event['job_id'] === jobId && (event['event'] === 'import_applied' || event['event'] === 'job_finished'), { timeoutMs });
    if (ended['event'] !== 'import_applied') throw new Error(`the import was not applied: ${worker.tail()}`);
    const started = await worker.waitForEvent((event) => event['job_id'] === jobId && event['event'] === 'job_started');
    await worker.waitForEvent((event) => event['job_id'] === jobId && event['event'] === 'job_finished');
    return (Date.parse(String(ended['time'])) - Date.parse(String(started['time']))) / 1000;
  }

  async stop(): Promise<void> {
    await this.stopWorker();
    this.#queue.close();
    await this.#db.stop();
    await this.#coordinator.stop();
    await this.#postgres.stop();
  }

  /** What ingest does with a shipment. */
  async #submit(path: string): Promise<string> {
    this.#imports += 1;
    const importId = `bench-${this.#imports}`;
    const { key, versionId, sizeBytes, sha256 } = await this.#store.put(`shipments/${namespace}/${importId}`, createReadStream(path), { contentType: 'text/csv' });
    const source = { key, versionId, sizeBytes: BigInt(sizeBytes), sha256 };
    const contentDigest = createHash('sha256').update(importId).update(sha256).digest();
    const { import: { generation } } = await this.#ledger.accept({ namespace, importId, source, charset: '', contentDigest });
    const jobId = `${importId}.${generation}`;
    const payload = Buffer.from(ImportPayload.encode({ importId, generation, source, charset: '' }).finish());
    const { results: [result] } = await this.#queue.enqueueJobs({
      jobs: [{ name: `namespaces/${namespace}/kinds/import/jobs/${jobId}`, contractVersion: 1, payload, contentDigest, priority: 0, delay: undefined }],
    });
    if (result?.job === undefined) throw new Error(`the job was refused: ${result?.message}`);
    return jobId;
  }
}

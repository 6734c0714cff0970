import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from '@leasehold/image-worker';
import { entryPoints } from '@leasehold/ingest';
import { freePort, startPostgres, startProcess, type PostgresServer, type ServiceProcess } from '@leasehold/test-stack';
import { coordinatorFolder, migrated } from '../coordinator.js';

/** Leasehold on one machine, with its defaults: PostgreSQL with fsync on, a coordinator, an ingest, and one worker at a time. */
export class Stack {
  readonly postgres: PostgresServer;
  /** By name, in the order in which they were started. */
  readonly services: Map<string, ServiceProcess>;
  readonly ingestAddress: string;
  readonly #runWorker: (env: Record<string, string>) => Promise<void>;

  private constructor(o: { postgres: PostgresServer; services: Map<string, ServiceProcess>; ingestAddress: string; runWorker: (env: Record<string, string>) => Promise<void> }) {
    this.postgres = o.postgres;
    this.services = o.services;
    this.ingestAddress = o.ingestAddress;
    this.#runWorker = o.runWorker;
  }

  static async start(folder: string): Promise<Stack> {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
    const services = new Map<string, ServiceProcess>();
    try {
      const [queueUrl, recordsUrl] = [await postgres.ensureDatabase('queue'), await postgres.ensureDatabase('records')];
      const [coordinatorPort, ingestPort, edgePort] = [await freePort(), await freePort(), await freePort()];
      const queue = { LEASEHOLD_QUEUE_DATABASE_URL: queueUrl };
      const records = { LEASEHOLD_RECORDS_DATABASE_URL: recordsUrl };
      const connected = { LEASEHOLD_COORDINATORS: `127.0.0.1:${coordinatorPort}`, LEASEHOLD_STORE_DIR: join(folder, 'objects') };
      await migrated(join(coordinatorFolder, 'migrate.js'), queue);
      await migrated(fileURLToPath(entryPoints.migrate), records);
      const run = async (name: string, file: string, env: Record<string, string>): Promise<void> => {
        const service = await startProcess({ name, args: [file], env, logFile: join(folder, `${name}.log`) });
        services.set(name, service);
        await service.waitForEvent((event) => event['event'] === 'service_started');
      };
      await run('queue-coordinator', join(coordinatorFolder, 'main.js'), { ...queue, LEASEHOLD_GRPC_PORT: String(coordinatorPort), LEASEHOLD_HTTP_PORT: '0' });
      await run('ingest', fileURLToPath(entryPoints.main), {
        ...records, ...connected, LEASEHOLD_GRPC_PORT: String(ingestPort), LEASEHOLD_HTTP_PORT: String(edgePort),
        LEASEHOLD_PUBLIC_URL: `http://127.0.0.1:${edgePort}`, LEASEHOLD_SIGNING_SECRET: 'a secret for a stack that lives for a minute',
      });
      return new Stack({
        postgres, services, ingestAddress: `127.0.0.1:${ingestPort}`,
        runWorker: (env) => run('image-worker', programs.worker, { ...connected, LEASEHOLD_HTTP_PORT: '0', ...env }),
      });
    } catch (error) {
      await end(postgres, services);
      throw error;
    }
  }

  /** @param encoders children of its pool, and so photos encoded at once */
  async startWorker(encoders: number): Promise<void> {
    await this.#runWorker({ LEASEHOLD_WORKER_CONCURRENCY: String(encoders) });
  }

  async stopWorker(): Promise<void> {
    await this.services.get('image-worker')?.stop();
    this.services.delete('image-worker');
  }

  async stop(): Promise<void> {
    await end(this.postgres, this.services);
  }
}

async function end(postgres: PostgresServer, services: ReadonlyMap<string, ServiceProcess>): Promise<void> {
  for (const service of [...services.values()].toReversed()) await service.stop();
  await postgres.stop();
}

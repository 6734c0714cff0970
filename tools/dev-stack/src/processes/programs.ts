import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { programs } from '@leasehold/image-worker';
import { programs as importPrograms } from '@leasehold/import-worker';
import { entryPoints as ingestPrograms } from '@leasehold/ingest';

/** What to run, and with which environment over this process's own. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

const coordinatorFolder = new URL('./', import.meta.resolve('@leasehold/queue-coordinator'));
const coordinatorProgram = (file: string): string => fileURLToPath(new URL(file, coordinatorFolder));

// Within what people wait after Ctrl-C; the services' own defaults are made for long jobs.
const stopTimeout = '8s';
const workerDrain = '3s';

// The stack reads log lines to see what happens; with fewer of them it would wait in vain.
const logLevel = ['trace', 'debug'].find((level) => level === process.env['LEASEHOLD_LOG_LEVEL']) ?? 'info';

/** How long a service may take to stop before it is killed: longer than it gives itself. */
export const killAfterMs = 10_000;

export const migrations = (queueUrl: string, recordsUrl: string): Program[] => [
  { name: 'queue-migrate', file: coordinatorProgram('migrate.js'), env: { LEASEHOLD_QUEUE_DATABASE_URL: queueUrl } },
  { name: 'records-migrate', file: fileURLToPath(ingestPrograms.migrate), env: { LEASEHOLD_RECORDS_DATABASE_URL: recordsUrl } },
];

/** A Redis that coordinators dispatch by, and ingest caches in. */
export interface RedisAccess {
  readonly url: string;
  readonly prefix: string;
}

export const coordinator = (o: { name: string; databaseUrl: string; redis: RedisAccess | undefined; grpc: number; http: number }): Program => ({
  name: o.name,
  file: coordinatorProgram('main.js'),
  env: { ...portsOf(o), LEASEHOLD_LOG_LEVEL: logLevel, LEASEHOLD_QUEUE_DATABASE_URL: o.databaseUrl, LEASEHOLD_STOP_TIMEOUT: stopTimeout, ...redisOf(o.redis) },
});

export const ingest = (o: { databaseUrl: string; redis: RedisAccess | undefined; coordinators: string; store: string; secret: string; grpc: number; http: number }): Program => ({
  name: 'ingest',
  file: fileURLToPath(ingestPrograms.main),
  env: {
    ...portsOf(o),
    LEASEHOLD_LOG_LEVEL: logLevel,
    LEASEHOLD_RECORDS_DATABASE_URL: o.databaseUrl,
    LEASEHOLD_COORDINATORS: o.coordinators,
    LEASEHOLD_STORE: o.store,
    LEASEHOLD_SIGNING_SECRET: o.secret,
    LEASEHOLD_PUBLIC_URL: `http://127.0.0.1:${o.http}`,
    LEASEHOLD_STOP_TIMEOUT: stopTimeout,
    ...redisOf(o.redis),
    // Somebody is watching.
    LEASEHOLD_WATCH_PROGRESS_EVERY: '100ms',
  },
});

export interface WorkerOptions {
  readonly name: string;
  readonly coordinators: string;
  readonly store: string;
  /** 0: any. */
  readonly http: number;
  /** Pictures at once. */
  readonly concurrency: number;
}

export const imageWorker = (o: WorkerOptions): Program => ({
  name: o.name,
  file: programs.worker,
  env: {
    LEASEHOLD_LOG_LEVEL: logLevel,
    LEASEHOLD_COORDINATORS: o.coordinators,
    LEASEHOLD_STORE: o.store,
    LEASEHOLD_HTTP_HOST: '127.0.0.1',
    LEASEHOLD_HTTP_PORT: String(o.http),
    LEASEHOLD_WORKER_CONCURRENCY: String(o.concurrency),
    LEASEHOLD_DRAIN_TIMEOUT: workerDrain,
    LEASEHOLD_STOP_TIMEOUT: stopTimeout,
  },
});

/** For shipments, a few at once. */
export const importWorker = (o: { databaseUrl: string; coordinators: string; store: string; http: number }): Program => ({
  name: 'import-worker',
  file: importPrograms.worker,
  env: {
    LEASEHOLD_LOG_LEVEL: logLevel,
    LEASEHOLD_COORDINATORS: o.coordinators,
    LEASEHOLD_STORE: o.store,
    LEASEHOLD_RECORDS_DATABASE_URL: o.databaseUrl,
    LEASEHOLD_HTTP_HOST: '127.0.0.1',
    LEASEHOLD_HTTP_PORT: String(o.http),
    LEASEHOLD_DRAIN_TIMEOUT: workerDrain,
    LEASEHOLD_STOP_TIMEOUT: stopTimeout,
  },
});

/** The same worker for leases of a few seconds; one with a failpoint stands still there until it gets SIGUSR2. */
export function shortLeaseWorker(o: WorkerOptions & { readonly stopsAt?: 'stored' }): Program {
  const plain = imageWorker(o);
  const env = { ...plain.env, LEASEHOLD_LEASE_MARGIN: '500ms', LEASEHOLD_WORKER_PREFETCH: '0' };
  if (o.stopsAt === undefined) return { ...plain, env };
  return { ...plain, file: programs.workerWithFailpoints, env: { ...env, LEASEHOLD_FAILPOINTS: o.stopsAt, LEASEHOLD_FAILPOINT_STOPS: '1' } };
}

/** Pictures at once in each of so many workers on this machine. */
export const concurrencyOf = (workers: number): number => Math.max(1, Math.ceil(availableParallelism() / workers));

const redisOf = (redis: RedisAccess | undefined): Record<string, string> => (redis === undefined ? {} : { LEASEHOLD_REDIS_URL: redis.url, LEASEHOLD_REDIS_PREFIX: redis.prefix });

const portsOf = (o: { grpc: number; http: number }): Record<string, string> => ({
  LEASEHOLD_GRPC_HOST: '127.0.0.1',
  LEASEHOLD_GRPC_PORT: String(o.grpc),
  LEASEHOLD_HTTP_HOST: '127.0.0.1',
  LEASEHOLD_HTTP_PORT: String(o.http),
});

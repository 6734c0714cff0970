import { randomUUID } from 'node:crypto';
import { openStore, type ObjectStore, type OpenedStore } from '@leasehold/object-store';
import { createPool, Listener, Notifier, type Database } from '@leasehold/postgres';
import { QueueServiceService } from '@leasehold/queue-v1';
import { CallerLimiter, createClient, GrpcServer, readImage } from '@leasehold/rpc';
import { Certificates, createRegistry, Duty, Lifecycle, OpsServer, type Assembly, type Component, type Logger, type OpsServerOptions, type Readiness, versionIn } from '@leasehold/service';
import type { FastifyPluginAsync } from 'fastify';
import type { Registry } from 'prom-client';
import type { IngestConfig } from './config.js';
import type { QueueClient } from './coordinator/coordinator.js';
import { channel } from './watch/changes.js';
import { fileService } from './files/rpc.js';
import { callerRoutes } from './http/edge.js';
import { fileRoutes } from './http/files.js';
import { importRoutes } from './http/imports.js';
import { objectRoutes, objectsPath } from './http/objects.js';
import { stockRoutes } from './http/stock.js';
import { importService } from './imports/rpc.js';
import { checkRecords } from './migrations.js';
import { reportClockSkew } from './start/clock-skew.js';
import { stockService } from './stock/rpc.js';
import { dutyNames, wire, type DutyName, type DutyRuns, type Ingest } from './wiring.js';

const uploadMessageBytes = 2 * 1024 * 1024;
const applicationName = 'leasehold ingest';

/** The parts of the process in the order in which they start; they stop in the reverse order. */
export async function assemble(config: IngestConfig, logger: Logger): Promise<Assembly> {
  const registry = createRegistry('ingest');
  const certificates = config.tls && Certificates.open(config.tls, { logger, registry });
  const { secrets, settings } = config.store;
  const opened = await openStore(settings, { signing: { secrets, baseUrl: new URL(objectsPath, config.http.publicUrl).href } });
  const { store } = opened;
  const db = createPool({ connectionString: config.database.url, applicationName, max: config.database.connections, logger });
  const queue = queueClient(config, certificates, logger);
  const notifier = new Notifier(db, channel, { logger });
  const duties = new Map<DutyName, Duty>();
  const ingest = wire({
    config, logger, registry, db, store, queue,
    producer: producerOf(),
    tell: (word) => notifier.notify(word),
    wake: (name) => duties.get(name)?.wake(),
  });
  for (const duty of dutiesOf(ingest.duties, config, logger, registry)) duties.set(duty.name, duty.loop);

  const lifecycle = new Lifecycle({ logger, phaseTimeoutMs: config.stopTimeoutMs / 2, stopTimeoutMs: config.stopTimeoutMs });
  if (certificates !== undefined) lifecycle.add(certificates);
  lifecycle.add(db).add(checks(opened, db, ingest, logger)).add({ name: 'coordinator client', start: async () => undefined, stop: async () => queue.close() }).add(sharesAtStart(ingest));
  if (ingest.stockCache !== undefined) lifecycle.add(ingest.stockCache);
  lifecycle.add(listener(config, ingest, logger));
  for (const loop of duties.values()) lifecycle.add(loop);
  const readiness = (): Promise<Readiness[]> => readinessOf(db, store, lifecycle);
  lifecycle.add(httpServer(config, ingest, opened, { registry, logger, readiness, certificates }));
  lifecycle.add(new GrpcServer({
    ...config.grpc, logger, registry, certificates, callerLimits: config.callers,
    services: [fileService(ingest.files), importService(ingest.imports), stockService(ingest.stock)],
    images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))],
    maxReceiveBytes: uploadMessageBytes,
  }));
  return { lifecycle };
}

// What is repeated here is idempotent by contract; a pull is not listed, as its repeat would take other outcomes.
const queueClient = (config: IngestConfig, certificates: Certificates | undefined, logger: Logger): QueueClient =>
  createClient(QueueServiceService, config.coordinator.addresses, {
    defaultTimeoutMs: config.coordinator.timeoutMs,
    idempotent: ['enqueueJobs', 'getJob', 'batchGetJobs', 'cancelJob', 'ackOutcomes', 'getContractShares'],
    tls: certificates && { certificates, server: 'coordinator' },
    logger,
  });

/** What this process is to the coordinator: as often as it starts, another one. */
const producerOf = (): { name: string; build: string } => {
  const build = `ingest@${versionIn(new URL('../package.json', import.meta.url))}`;
  return { name: `${build}/${randomUUID()}`, build };
};

/** The first question for what to write, before anybody can hand anything over. A coordinator that does not answer keeps nothing from starting. */
const sharesAtStart = ({ shares }: Ingest): Component => ({
  name: 'contract shares',
  start: async () => {
    await Promise.all(shares.map((each) => each.askNow(new AbortController().signal)));
  },
  stop: async () => undefined,
});

/** A store without versioning is refused at start; clocks are compared and reported. */
const checks = ({ store, close }: OpenedStore, db: Database, { metrics }: Ingest, logger: Logger): Component => ({
  name: 'start checks',
  start: async () => {
    await store.checkVersioning();
    await reportClockSkew({ db, store, metrics, logger });
  },
  stop: async () => close(),
});

const listener = (config: IngestConfig, { changes }: Ingest, logger: Logger): Listener =>
  new Listener({
    connectionString: config.database.url,
    applicationName: `${applicationName} listener`,
    channels: [channel],
    logger,
    onNotify: (_channel, payload) => changes.heard(payload),
    onReopen: () => changes.wakeAll(),
  });

function dutiesOf(runs: DutyRuns, config: IngestConfig, logger: Logger, registry: Registry): { name: DutyName; loop: Duty }[] {
  const { duties } = config;
  const everyMs: Record<DutyName, number> = {
    figures: duties.figuresEveryMs,
    relay: duties.relayEveryMs,
    cancels: duties.relayEveryMs,
    // A poll that finds nothing has waited at the coordinator already; this is also what the delay after errors grows from.
    outcomes: 250,
    // Whether it is time to ask: the coordinator says how often.
    shares: 1_000,
    'import-shares': 1_000,
    healing: duties.healEveryMs,
    expiry: duties.expireEveryMs,
    sweep: duties.sweepEveryMs,
    // Asks whether the pass is due, over all instances.
    'bucket-pass': Math.min(duties.bucketPassEveryMs, 60_000),
    'import-relay': duties.relayEveryMs,
    'import-cancels': duties.relayEveryMs,
    'import-outcomes': 250,
    'import-healing': duties.healEveryMs,
    archive: duties.archiveEveryMs,
    idempotency: duties.archiveEveryMs,
  };
  return dutyNames.map((name) => ({ name, loop: new Duty({ name, everyMs: everyMs[name], run: (signal) => runs[name](signal), logger, registry }) }));
}

type OpsParts = Pick<OpsServerOptions, 'registry' | 'logger' | 'readiness' | 'certificates'>;

function httpServer(config: IngestConfig, ingest: Ingest, opened: OpenedStore, parts: OpsParts): OpsServer {
  const { host, port } = config.http;
  const { logger } = parts;
  return new OpsServer({ host, port, ...parts, requestTimeoutMs: config.store.timeoutMs })
    .register(callerRoutes({ logger, callers: new CallerLimiter(config.callers) }, [fileRoutes(ingest.files), importRoutes(ingest.imports), stockRoutes(ingest.stock)]))
    .register(signedUrls(opened, config.store.secrets, logger));
}

/** An S3 serves its signed URLs itself. */
const signedUrls = ({ kind, store }: OpenedStore, secrets: readonly string[], logger: Logger): FastifyPluginAsync =>
  kind === 'embedded' ? objectRoutes({ store, secrets, logger }) : async () => undefined;

async function readinessOf(db: Database, store: ObjectStore, lifecycle: Lifecycle): Promise<Readiness[]> {
  const versioning = store.checkVersioning().then(
    () => ({ name: 'object store', ok: true }),
    (error: unknown) => ({ name: 'object store', ok: false, detail: error instanceof Error ? error.message : String(error) }),
  );
  return [lifecycle.readiness(), await db.check(), await checkRecords(db), await versioning];
}

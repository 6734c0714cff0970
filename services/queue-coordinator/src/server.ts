import { checkMigrations, createPool, Listener, type Database } from '@leasehold/postgres';
import { GrpcServer, readImage } from '@leasehold/rpc';
import { Certificates, createRegistry, Duty, Lifecycle, OpsServer, systemClock, type Assembly, type Component, type Logger, type Readiness } from '@leasehold/service';
import type { Registry } from 'prom-client';
import { Producers } from './access/producers.js';
import type { CoordinatorConfig } from './config.js';
import { assembleBullmq } from './dispatch/bullmq/assembly.js';
import type { Failpoint } from './dispatch/bullmq/failpoint.js';
import { Dispatchers, readPoliciesEveryMs } from './dispatch/dispatchers.js';
import { PostgresDispatcher } from './dispatch/postgres/dispatcher.js';
import { channel, receive, Signals } from './dispatch/signals.js';
import { Wakeups } from './dispatch/wakeups.js';
import { QueueFigures } from './figures/counters.js';
import { checkFences } from './figures/fence-check.js';
import { observeQueue } from './figures/queue.js';
import { BuildRecords, flushEveryMs } from './contracts/build-records.js';
import { rolloutService } from './contracts/rpc.js';
import { Canceller } from './jobs/cancel.js';
import { Enqueuer } from './jobs/enqueue.js';
import { exhaustEveryMs, exhaustJobs } from './jobs/exhaust.js';
import { partitionsEveryMs, prune, pruneEveryMs, tendPartitions } from './jobs/prune.js';
import { queueService } from './jobs/rpc.js';
import { Granter } from './leases/acquire.js';
import { expireEveryMs, expireLeases } from './leases/expire.js';
import { Extender } from './leases/extend.js';
import { leaseService } from './leases/rpc.js';
import { Settler } from './leases/settle.js';
import { Attendance } from './workers/attend.js';
import { judgeSilentWorkers, livenessEveryMs } from './workers/liveness.js';

/** Where the numbered migrations of the queue database lie. */
export const migrations = new URL('../migrations/', import.meta.url);
/** What the role of the service is granted. */
export const serviceRole = new URL('../service-role.sql', import.meta.url);

/** Refuses to start on a schema that is not this build's, or where fences could not be trusted. Started before anything that grants. */
class StartChecks implements Component {
  readonly name = 'start checks';
  readonly #db: Database;
  readonly #then: () => Promise<void>;

  /** `then`: what can be done only on a database that is as it should be. */
  constructor(db: Database, then: () => Promise<void>) {
    this.#db = db;
    this.#then = then;
  }

  async start(): Promise<void> {
    const schema = await checkMigrations(this.#db, migrations);
    if (!schema.ok) throw new Error(`migrations: ${schema.detail ?? ''}`);
    const fences = await checkFences(this.#db);
    if (!fences.ok) throw new Error(`fences: ${fences.detail ?? ''}`);
    await this.#then();
  }

  async stop(): Promise<void> {}
}

/** Puts the coordinator together; nothing acts before the lifecycle starts. */
export function assemble(config: CoordinatorConfig, logger: Logger, o: { readonly failpoint?: Failpoint } = {}): Assembly {
  const registry = createRegistry('queue-coordinator');
  const certificates = config.tls && Certificates.open(config.tls, { logger, registry });
  const now = (): number => systemClock.now();
  const db = createPool({ connectionString: config.databaseUrl, applicationName: 'queue-coordinator', max: config.databaseConnections, logger });
  const wakeups = new Wakeups();
  const signals = new Signals(db, wakeups, logger);
  const records = new BuildRecords(db);
  const figures = new QueueFigures(registry, records);
  observeQueue(db, registry, now);
  const bullmq = config.bullmq && assembleBullmq(config.bullmq, { db, signals, logger, registry, now, failpoint: o.failpoint });
  const dispatchers = new Dispatchers(db, logger, new PostgresDispatcher(db, now), bullmq === undefined ? [] : [bullmq.dispatcher]);
  const listener = new Listener({
    connectionString: config.databaseUrl,
    applicationName: 'queue-coordinator listen',
    channels: [channel],
    logger,
    onNotify: (_channel, payload) => receive(wakeups, payload),
    onReopen: () => wakeups.wakeAll(),
  });
  const grpc = new GrpcServer({
    host: config.grpcHost,
    port: config.grpcPort,
    services: [
      queueService({ db, enqueuer: new Enqueuer(db, signals, dispatchers, figures, logger), canceller: new Canceller(db, signals, dispatchers, figures, logger), wakeups, producers: new Producers(config.grants), now }),
      leaseService({
        db, attendance: new Attendance(db, signals, dispatchers, logger), granter: new Granter(db, dispatchers, figures, now), extender: new Extender(db, signals),
        settler: new Settler(db, signals, dispatchers, figures, logger), wakeups, signals, dispatchers, logger, now,
      }),
      rolloutService({ db, signals, dispatchers, wakeups, figures, records, logger, producerMemoryMs: config.producerMemoryMs, uncertainAfterMs: config.workerSilenceMs / 2 }),
    ],
    images: ['queue', 'lease', 'rollout'].map((edge) => readImage(import.meta.resolve(`@leasehold/${edge}-v1/image.binpb`))),
    logger,
    registry,
    certificates,
    callerLimits: config.callers,
  });
  const lifecycle = new Lifecycle({ logger, phaseTimeoutMs: Math.round(config.stopTimeoutMs / 2), stopTimeoutMs: config.stopTimeoutMs });
  const readiness = async (): Promise<Readiness[]> => [lifecycle.readiness(), await db.check(), await checkMigrations(db, migrations), ...(await dispatchers.readiness())];
  const ops = new OpsServer({ host: config.httpHost, port: config.httpPort, registry, readiness, logger, certificates });
  if (certificates !== undefined) lifecycle.add(certificates);
  lifecycle.add(db).add(new StartChecks(db, async () => {
    await bullmq?.claimKinds();
    await dispatchers.read();
  })).add(listener).add(ops);
  for (const component of bullmq?.components ?? []) lifecycle.add(component);
  for (const duty of duties({ db, signals, dispatchers, figures, records, logger, registry, config })) lifecycle.add(duty);
  lifecycle.add(grpc);
  return { lifecycle, beforeStop: () => grpc.setServing(false) };
}

interface DutyParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly dispatchers: Dispatchers;
  readonly figures: QueueFigures;
  readonly records: BuildRecords;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly config: CoordinatorConfig;
}

/** Loops that any number of coordinators run at once. */
function duties({ db, signals, dispatchers, figures, records, logger, registry, config }: DutyParts): Duty[] {
  const duty = (name: string, everyMs: number, run: () => Promise<number | void>): Duty => new Duty({ name, everyMs, run, logger, registry });
  return [
    duty('dispatcher-policies', readPoliciesEveryMs, () => dispatchers.read()),
    duty('expire', expireEveryMs, expireLeases(db, signals, dispatchers, figures, logger)),
    duty('exhaust', exhaustEveryMs, exhaustJobs(db, signals, dispatchers, figures, logger)),
    duty('build-records', flushEveryMs, () => records.flush()),
    duty('prune-records', partitionsEveryMs, () => records.prune()),
    duty('prune', pruneEveryMs, prune(db, logger)),
    duty('partitions', partitionsEveryMs, tendPartitions(db, logger)),
    duty('worker-liveness', livenessEveryMs, judgeSilentWorkers(db, logger, config.workerSilenceMs)),
  ];
}

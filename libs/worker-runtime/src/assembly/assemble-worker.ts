import { LeaseServiceService } from '@leasehold/lease-v1';
import { createClient, type ClientOf } from '@leasehold/rpc';
import { Certificates, createRegistry, Lifecycle, OpsServer, type Assembly, type Component, type Logger, type Readiness } from '@leasehold/service';
import type { Registry } from 'prom-client';
import type { JobHandler } from '../run/job-handler.js';
import type { LeaseConnection } from '../wire/lease-connection.js';
import { WorkerRuntime } from '../worker-runtime.js';
import { buildOf, type Identified } from './build-manifest.js';
import { declaring } from './declared-contracts.js';
import type { WorkerSettings } from './worker-settings.js';

/** Something that the handler needs, and that can say whether it is there. */
export interface Dependency extends Component {
  readiness(): Readiness | Promise<Readiness>;
}

/** What is particular to one kind of worker. */
export interface WorkerParts<Model, Result> {
  readonly handler: JobHandler<Model, Result>;
  /** See WorkerRuntimeOptions. */
  readonly concurrency: number;
  readonly prefetch: number;
  /** Started before the first job is taken, in this order, and stopped after the last one has ended, in the reverse order. */
  readonly dependencies: readonly Dependency[];
}

export interface WorkerAssembly<Model, Result> extends Identified {
  readonly settings: WorkerSettings;
  readonly logger: Logger;
  readonly partsOf: (given: { readonly registry: Registry }) => Promise<WorkerParts<Model, Result>> | WorkerParts<Model, Result>;
  /** Tests put faults between the worker and its coordinators. */
  readonly connectionOf?: ((client: LeaseConnection) => LeaseConnection) | undefined;
}

/** What one component may take to stop: all of the time but what the others need. */
const OTHERS_STOP_MS = 2_000;

/** Puts a worker process together; nothing but `partsOf` acts before the lifecycle starts. */
export async function assembleWorker<Model, Result>({ name, packageJson, settings, logger, partsOf, connectionOf = (client) => client }: WorkerAssembly<Model, Result>): Promise<Assembly> {
  const build = buildOf({ name, packageJson });
  const registry = createRegistry(name, { build });
  const certificates = settings.tls && Certificates.open(settings.tls, { logger, registry });
  const { handler, concurrency, prefetch, dependencies } = await partsOf({ registry });
  const clients = connectionsTo(settings.coordinators).map((address) => createClient(LeaseServiceService, address, { tls: certificates && { certificates, server: 'coordinator' } }));
  const { leaseMarginMs: marginMs, drainTimeoutMs, stopTimeoutMs } = settings;
  const runtime = new WorkerRuntime({ clients: clients.map(connectionOf), handler: declaring(handler, settings.contracts), build, concurrency, prefetch, marginMs, drainTimeoutMs, logger, registry });
  const lifecycle = new Lifecycle({ logger, stopTimeoutMs, phaseTimeoutMs: stopTimeoutMs - OTHERS_STOP_MS });
  const readiness = async (): Promise<Readiness[]> => [lifecycle.readiness(), runtime.readiness(), ...(await Promise.all(dependencies.map(async (dependency) => dependency.readiness())))];
  if (certificates !== undefined) lifecycle.add(certificates);
  lifecycle.add(new OpsServer({ ...settings.http, registry, readiness, logger, certificates }));
  for (const dependency of dependencies) lifecycle.add(dependency);
  lifecycle.add(closing(clients)).add(runtime);
  return { lifecycle, beforeStop: () => runtime.drain() };
}

// A connection each; the only coordinator gets two, so that a heartbeat can leave one that hangs.
const connectionsTo = (coordinators: readonly string[]): readonly string[] => (coordinators.length === 1 ? [...coordinators, ...coordinators] : coordinators);

function closing(clients: readonly ClientOf<typeof LeaseServiceService>[]): Component {
  return {
    name: 'coordinator-connections',
    start: async () => undefined,
    stop: async () => {
      for (const client of clients) client.close();
    },
  };
}

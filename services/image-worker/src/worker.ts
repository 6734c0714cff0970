import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LeaseServiceService } from '@leasehold/lease-v1';
import { openStore, type ObjectStore, type OpenedStore } from '@leasehold/object-store';
import { createClient, type ClientOf } from '@leasehold/rpc';
import { Certificates, createRegistry, Lifecycle, OpsServer, systemClock, type Assembly, type Component, type Logger, type Readiness } from '@leasehold/service';
import { WorkerRuntime, type JobHandler } from '@leasehold/worker-runtime';
import type { WorkerConfig } from './config.js';
import type { PhotoMade, PhotoOrder } from './photo/order.js';
import { photoHandler } from './photo/photo-handler.js';
import { photoSteps, type PhotoSteps } from './photo/steps.js';
import { PicturePool } from './rendering/pool/picture-pool.js';

/** What one component may take to stop: all of the time but what the others need. */
const OTHERS_STOP_MS = 2_000;

/**
 * Puts the worker together; nothing acts before the lifecycle starts, but the store's directory, which is made when missing.
 * @param handlerOf what runs the steps on a job; tests put failpoints between them
 */
export async function assembleWorker(config: WorkerConfig, logger: Logger, handlerOf: (steps: PhotoSteps) => JobHandler<PhotoOrder, PhotoMade> = photoHandler): Promise<Assembly> {
  const build = `image-worker@${ownVersion()}`;
  const registry = createRegistry('image-worker', { build });
  const certificates = config.tls && Certificates.open(config.tls, { logger, registry });
  const opened = await openStore(config.store);
  const { store } = opened;
  const pool = new PicturePool({
    program: fileURLToPath(new URL('./rendering/pool/child/main.js', import.meta.url)),
    children: config.concurrency,
    timeoutMs: config.renderTimeoutMs,
    memoryBytes: config.renderMemoryBytes,
    logger,
    registry,
  });
  const steps = photoSteps({ store, studio: pool, limits: config.limits, runs: config.concurrency + config.prefetch, storeTimeoutMs: config.storeTimeoutMs, clock: systemClock });
  const clients = connectionsTo(config.coordinators).map((address) => createClient(LeaseServiceService, address, { tls: certificates && { certificates, server: 'coordinator' } }));
  const runtime = new WorkerRuntime({
    clients,
    handler: handlerOf(steps),
    build,
    // A run beyond the children fetches its source and waits for one; the stores and settlements of others go on meanwhile. A lease that the runtime itself kept back
    // would do nothing of that.
    concurrency: config.concurrency + config.prefetch,
    prefetch: 0,
    marginMs: config.leaseMarginMs,
    drainTimeoutMs: config.drainTimeoutMs,
    logger,
    registry,
  });
  const lifecycle = new Lifecycle({ logger, stopTimeoutMs: config.stopTimeoutMs, phaseTimeoutMs: config.stopTimeoutMs - OTHERS_STOP_MS });
  const readiness = async (): Promise<Readiness[]> => [lifecycle.readiness(), runtime.readiness(), pool.readiness(), await storeReadiness(store)];
  const ops = new OpsServer({ ...config.http, registry, readiness, logger, certificates });
  if (certificates !== undefined) lifecycle.add(certificates);
  lifecycle.add(versionedStore(opened)).add(ops).add(pool).add(closing(clients)).add(runtime);
  return { lifecycle, beforeStop: () => runtime.drain() };
}

/** Requirement F13: on a store that keeps no versions, the bytes that were confirmed could change under their name. */
function versionedStore({ store, close }: OpenedStore): Component {
  return { name: 'object-store', start: () => store.checkVersioning(), stop: async () => close() };
}

async function storeReadiness(store: ObjectStore): Promise<Readiness> {
  const failure = await store.checkVersioning().then(() => undefined, (error: unknown) => (error instanceof Error ? error.message : 'failed'));
  return failure === undefined ? { name: 'object-store', ok: true } : { name: 'object-store', ok: false, detail: failure };
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

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string') return manifest.version;
  throw new Error('package.json names no version');
}

import { openStore, versionedStore } from '@leasehold/object-store';
import { createPool } from '@leasehold/postgres';
import { systemClock, type Assembly, type Logger } from '@leasehold/service';
import { Ledger } from '@leasehold/stock-ledger';
import { assembleWorker, type JobHandler, type LeaseConnection } from '@leasehold/worker-runtime';
import type { WorkerConfig } from './config.js';
import { Figures } from './figures.js';
import { identity } from './identity.js';
import { importHandler } from './imports/import-handler.js';
import type { ImportDone, ImportOrder } from './imports/import-order.js';
import type { ImportParts } from './imports/import-parts.js';
import { DeadBuffers } from './memory/dead-buffers.js';
import { recordsDatabase } from './records-database.js';

/** What tests put between a run's steps, and between the worker and its coordinators. */
export interface Interference {
  readonly handlerOf?: (parts: ImportParts) => JobHandler<ImportOrder, ImportDone>;
  readonly connectionOf?: (client: LeaseConnection) => LeaseConnection;
}

/** Puts the worker together; nothing acts before the lifecycle starts, but the store's directory, which is made when missing. */
export const assembleImportWorker = (config: WorkerConfig, logger: Logger, { handlerOf = importHandler, connectionOf }: Interference = {}): Promise<Assembly> =>
  assembleWorker({
    ...identity,
    settings: config,
    logger,
    connectionOf,
    partsOf: async ({ registry }) => {
      const opened = await openStore(config.store);
      const db = createPool({ connectionString: config.recordsUrl, applicationName: 'import-worker', max: connectionsFor(config.concurrency), logger });
      const parts = {
        store: opened.store, ledger: new Ledger(db), limits: config.limits, storeTimeoutMs: config.storeTimeoutMs, clock: systemClock, figures: new Figures(registry), buffers: new DeadBuffers(4 * 1024 * 1024),
      };
      return { handler: handlerOf(parts), concurrency: config.concurrency, prefetch: 0, dependencies: [versionedStore(opened), recordsDatabase(db)] };
    },
  });

// A run has one of its own while it copies and applies. Beginning, rejecting and readiness must not wait for those to end.
const connectionsFor = (concurrency: number): number => concurrency + 3;

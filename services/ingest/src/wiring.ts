import type { ObjectStore } from '@leasehold/object-store';
import type { Database } from '@leasehold/postgres';
import { systemClock, type Logger } from '@leasehold/service';
import type { Registry } from 'prom-client';
import type { IngestConfig } from './config.js';
import { Coordinator, type QueueClient } from './coordinator/coordinator.js';
import { JobViews } from './coordinator/job-views.js';
import { lookAtFigures } from './figures/figures.js';
import { Metrics } from './figures/metrics.js';
import type { FileParts } from './files/parts.js';
import type { ContractShares } from './jobs/contract-shares.js';
import type { ImportParts } from './imports/parts.js';
import { PageTokens } from './pages/page-token.js';
import type { StockParts } from './stock/read-stock.js';
import { RedisStockCache } from './stock/stock-cache.js';
import { passBucketWhenDue } from './sweep/bucket-pass.js';
import { Changes } from './watch/changes.js';
import { wireFiles } from './wire-files.js';
import { wireImports } from './wire-imports.js';

/** What ingest is built on. */
export interface Foundations {
  readonly config: IngestConfig;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly queue: QueueClient;
  /** Names this process to the coordinator, new at each start, and what it runs. */
  readonly producer: { readonly name: string; readonly build: string };
  /** Tells every instance that a resource has changed. */
  readonly tell: (word: string) => void;
  /** Asks for a run of a duty soon. */
  readonly wake: (duty: DutyName) => void;
}

/** What the parts of files and of imports share. */
export interface Common extends Foundations {
  readonly metrics: Metrics;
  readonly changes: Changes;
  readonly coordinator: Coordinator;
  readonly views: JobViews;
  readonly pageTokens: PageTokens;
  /** How long a batch is taken from other instances, in ms: it is one call, a cancel at most two. */
  readonly claimMs: number;
  /** How long a refused job waits before it is sent again, in ms. */
  readonly refusedMs: number;
}

/** One run of each duty. Each is safe in any number of instances at once. More than 0: there may be more to do. */
export const dutyNames = [
  'figures', 'shares', 'relay', 'cancels', 'outcomes', 'healing', 'expiry', 'sweep', 'bucket-pass',
  'import-relay', 'import-cancels', 'import-outcomes', 'import-healing', 'import-shares', 'archive', 'idempotency',
] as const;
export type DutyName = (typeof dutyNames)[number];
export type DutyRuns = Readonly<Record<DutyName, (signal: AbortSignal) => Promise<number>>>;

export interface Ingest {
  readonly files: FileParts;
  readonly imports: ImportParts;
  readonly stock: StockParts;
  /** Undefined: stock is not cached. */
  readonly stockCache: RedisStockCache | undefined;
  /** By kind of job. */
  readonly shares: readonly ContractShares[];
  readonly changes: Changes;
  readonly metrics: Metrics;
  readonly duties: DutyRuns;
}

/** A few ms in which questions for progress gather into one call. */
const progressLingerMs = 5;
const claimSlackMs = 5_000;
const refusedMs = 60_000;

/** Puts the parts together; nothing runs yet. */
export function wire(f: Foundations): Ingest {
  const { config, logger, db, store } = f;
  const metrics = new Metrics(f.registry);
  const coordinator = new Coordinator(f.queue, config.coordinator.timeoutMs);
  const common: Common = {
    ...f, metrics, coordinator, refusedMs,
    changes: new Changes(f.tell),
    views: new JobViews(coordinator, { clock: systemClock, logger, timeoutMs: config.coordinator.progressTimeoutMs, lingerMs: progressLingerMs }),
    pageTokens: new PageTokens(config.store.secrets),
    claimMs: 2 * config.coordinator.timeoutMs + claimSlackMs,
  };
  const files = wireFiles(common);
  const imports = wireImports(common);
  const stockCache = config.stockCache && new RedisStockCache({ ...config.stockCache, logger, metrics: metrics.stock });
  const pass = { db, store, metrics, logger, objects: [...files.swept, imports.swept], everyMs: config.duties.bucketPassEveryMs };

  return {
    changes: common.changes,
    metrics,
    files: files.parts,
    imports: imports.parts,
    stock: { ledger: imports.parts.ledger, pageTokens: common.pageTokens, cache: stockCache, logger },
    stockCache,
    shares: [files.shares, imports.shares],
    duties: {
      ...files.duties,
      ...imports.duties,
      'bucket-pass': async (signal) => {
        await passBucketWhenDue(pass, signal);
        return 0;
      },
      figures: async () => {
        await lookAtFigures({ db, files: files.jobs, imports: imports.jobs, metrics });
        return 0;
      },
    },
  };
}

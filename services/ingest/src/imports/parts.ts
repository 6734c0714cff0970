import type { ObjectStore } from '@leasehold/object-store';
import type { Database } from '@leasehold/postgres';
import type { Clock, Logger } from '@leasehold/service';
import type { ShipmentLimits } from '@leasehold/shipment-csv';
import type { Ledger } from '@leasehold/stock-ledger';
import type { ImportChoice } from '../contract/import-contracts.js';
import type { JobViews } from '../coordinator/job-views.js';
import type { InFlight } from '../jobs/in-flight.js';
import type { PageTokens } from '../pages/page-token.js';
import type { Changes } from '../watch/changes.js';
import type { ImportJobs } from './jobs/import-jobs.js';
import type { Validations } from './validations.js';

/** The bounds that owners' calls obey. */
export interface ImportLimits {
  readonly shipment: ShipmentLimits;
  /** Imports of one namespace that may be ACCEPTED at once. */
  readonly maxQueued: number;
  /** A submission that takes longer is cut off: the sweep counts on it. */
  readonly submitTimeoutMs: number;
  /** How long the file of an ended import is kept. */
  readonly retentionMs: number;
  /** How often a watcher asks for progress. */
  readonly watchProgressMs: number;
}

/** What the owners' calls are made of. */
export interface ImportParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly jobs: ImportJobs;
  readonly store: ObjectStore;
  readonly contracts: ImportChoice;
  readonly changes: Changes;
  readonly inFlight: InFlight;
  readonly views: JobViews;
  readonly validations: Validations;
  readonly pageTokens: PageTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: ImportLimits;
  /** An import was accepted: the relay has something to send. */
  readonly onQueued: () => void;
  /** An ACCEPTED import was cancelled: a job is to be cancelled. */
  readonly onCancelled: () => void;
}

import type { ObjectStore } from '@leasehold/object-store';
import type { Clock, Logger } from '@leasehold/service';
import type { ImageChoice } from '../contract/image-contracts.js';
import type { JobViews } from '../coordinator/job-views.js';
import type { InFlight } from '../jobs/in-flight.js';
import type { PageTokens } from '../pages/page-token.js';
import type { Changes } from '../watch/changes.js';
import type { FileRecords } from './records.js';

/** The bounds that owners' calls obey. */
export interface FileLimits {
  readonly maxUploadBytes: number;
  /** Cards of one namespace that may be QUEUED at once. */
  readonly maxQueued: number;
  /** How long a card waits for ConfirmFile. */
  readonly pendingLifeMs: number;
  readonly uploadUrlLifeMs: number;
  readonly downloadUrlLifeMs: number;
  /** An upload that takes longer is cut off: the sweep counts on it. */
  readonly uploadTimeoutMs: number;
  /** After this long no upload that was allowed earlier can still come in: longest URL life and store timeout. */
  readonly uploadWindowMs: number;
  /** After this long no byte that was allowed earlier can still be written or read: longest run, lease, longest URL life and store timeout. */
  readonly writeWindowMs: number;
  /** How often a watcher of a QUEUED card asks for progress. */
  readonly watchProgressMs: number;
  /** A watcher that is not woken looks at its card this often. */
  readonly watchFloorMs: number;
}

/** What the owners' calls are made of. */
export interface FileParts {
  readonly records: FileRecords;
  readonly store: ObjectStore;
  readonly contracts: ImageChoice;
  readonly changes: Changes;
  readonly inFlight: InFlight;
  readonly jobs: JobViews;
  readonly pageTokens: PageTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: FileLimits;
  /** A card was queued: the relay has something to send. */
  readonly onQueued: () => void;
  /** A queued card was deleted: a job is to be cancelled. */
  readonly onDeleted: () => void;
}

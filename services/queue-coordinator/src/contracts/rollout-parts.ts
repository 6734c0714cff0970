import type { Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { Wakeups } from '../dispatch/wakeups.js';
import type { QueueFigures } from '../figures/counters.js';
import type { BuildRecords } from './build-records.js';
import type { StepParts } from './steps.js';

/** What the rollout edge stands on. */
export interface RolloutParts extends StepParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly dispatchers: Dispatchers;
  readonly wakeups: Wakeups;
  readonly figures: QueueFigures;
  readonly records: BuildRecords;
  readonly logger: Logger;
}

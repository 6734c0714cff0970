import type { ObjectStore } from '@leasehold/object-store';
import type { Database } from '@leasehold/postgres';
import { systemClock, type Logger } from '@leasehold/service';
import type { Registry } from 'prom-client';
import { cancelJobs } from './cancels/cancel.js';
import type { IngestConfig } from './config.js';
import type { ImageContracts } from './contract/image-contracts.js';
import { Coordinator, type QueueClient } from './coordinator/coordinator.js';
import { JobViews } from './coordinator/job-views.js';
import { expirePending } from './expiry/expire.js';
import { lookAtFigures } from './figures/figures.js';
import { Metrics } from './figures/metrics.js';
import { FileOutcomes } from './files/file-outcomes.js';
import { imageJobWriter } from './files/image-job.js';
import { fileJobs } from './files/jobs/file-jobs.js';
import { PageTokens } from './files/page-token.js';
import type { FileParts } from './files/parts.js';
import { FileRecords } from './files/records.js';
import { imageKind } from './files/resource-name.js';
import { healQueued } from './healing/heal.js';
import { InFlight } from './jobs/in-flight.js';
import { OutcomeApplier } from './outcomes/apply.js';
import { pullOutcomes } from './outcomes/pull.js';
import { Relay } from './relay/relay.js';
import { passBucketWhenDue } from './sweep/bucket-pass.js';
import { sweepFiles } from './sweep/sweep-files.js';
import { Changes } from './watch/changes.js';

/** What ingest is built on. */
export interface Foundations {
  readonly config: IngestConfig;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly queue: QueueClient;
  readonly contracts: ImageContracts;
  /** Tells every instance that a card has changed. */
  readonly tell: (word: string) => void;
  /** Asks for a run of a duty soon. */
  readonly wake: (duty: DutyName) => void;
}

/** One run of each duty. Each is safe in any number of instances at once. */
export interface DutyRuns {
  relay(signal: AbortSignal): Promise<number>;
  cancels(signal: AbortSignal): Promise<number>;
  outcomes(signal: AbortSignal): Promise<number>;
  healing(signal: AbortSignal): Promise<number>;
  expiry(signal: AbortSignal): Promise<number>;
  sweep(signal: AbortSignal): Promise<number>;
  'bucket-pass'(signal: AbortSignal): Promise<void>;
  figures(signal: AbortSignal): Promise<void>;
}
export type DutyName = keyof DutyRuns;

export interface Ingest {
  readonly files: FileParts;
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
  const { config, logger, db, store, contracts } = f;
  const { limits, windows } = config;
  const metrics = new Metrics(f.registry);
  const records = new FileRecords(db);
  const changes = new Changes(f.tell);
  const coordinator = new Coordinator(f.queue, config.coordinator.timeoutMs);
  const jobs = new JobViews(coordinator, { clock: systemClock, logger, timeoutMs: config.coordinator.progressTimeoutMs, lingerMs: progressLingerMs });
  const photos = fileJobs(db, windows.writeMs);
  const applier = new OutcomeApplier({ target: new FileOutcomes({ db, records, contracts, changes, writeWindowMs: windows.writeMs }), metrics: metrics.files, logger });
  // A batch is one call, a cancel at most two.
  const claimMs = 2 * config.coordinator.timeoutMs + claimSlackMs;
  const relay = new Relay({ jobs: photos, writer: imageJobWriter(contracts, records), coordinator, applier, metrics: metrics.files, logger, claimMs, refusedMs });

  return {
    changes,
    metrics,
    files: {
      records, store, contracts, changes, jobs, logger, limits,
      inFlight: new InFlight(photos, { what: 'photos', max: limits.maxQueued, clock: systemClock, onRefused: () => metrics.files.namespaceFull.inc() }),
      pageTokens: new PageTokens(config.store.secrets),
      clock: systemClock,
      onQueued: () => f.wake('relay'),
      onDeleted: () => f.wake('cancels'),
    },
    duties: {
      relay: (signal) => relay.run(signal),
      cancels: (signal) => cancelJobs({ jobs: photos, coordinator, logger, claimMs }, signal),
      outcomes: (signal) => pullOutcomes({ coordinator, kind: imageKind, versions: contracts.versions, applier, waitMs: config.coordinator.outcomesWaitMs }, signal),
      healing: () => healQueued({ jobs: photos, metrics: metrics.files, logger, healAfterMs: config.duties.healAfterMs, onHealed: () => f.wake('relay') }),
      expiry: () => expirePending({ db, changes, metrics, logger, uploadWindowMs: windows.uploadMs }),
      sweep: (signal) => sweepFiles({ db, store, changes, metrics, logger, windows, claimMs: config.store.timeoutMs }, signal),
      'bucket-pass': (signal) => passBucketWhenDue({ db, store, metrics, logger, windows, everyMs: config.duties.bucketPassEveryMs }, signal),
      figures: () => lookAtFigures({ db, files: photos, metrics }),
    },
  };
}

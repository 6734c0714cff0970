import { systemClock } from '@leasehold/service';
import { cancelJobs } from './cancels/cancel.js';
import type { ImageChoice } from './contract/image-contracts.js';
import { expirePending } from './expiry/expire.js';
import { FileOutcomes } from './files/file-outcomes.js';
import { imageJobWriter } from './files/image-job.js';
import { fileJobs } from './files/jobs/file-jobs.js';
import type { FileParts } from './files/parts.js';
import { FileRecords } from './files/records.js';
import { imageKind } from './files/resource-name.js';
import { healQueued } from './healing/heal.js';
import { ContractChoice } from './jobs/contract-choice.js';
import { ContractShares } from './jobs/contract-shares.js';
import { InFlight } from './jobs/in-flight.js';
import type { OwedJobs } from './jobs/owed-jobs.js';
import { OutcomeApplier } from './outcomes/apply.js';
import { pullOutcomes } from './outcomes/pull.js';
import { Relay } from './relay/relay.js';
import type { SweptObjects } from './sweep/bucket-pass.js';
import { sweepFiles } from './sweep/sweep-files.js';
import { sweptFiles } from './sweep/swept-files.js';
import type { Common, DutyRuns } from './wiring.js';

/** Photos: their owners' calls, their duties, and what of the bucket is theirs. */
export function wireFiles(c: Common): {
  parts: FileParts;
  jobs: OwedJobs;
  shares: ContractShares;
  swept: SweptObjects[];
  duties: Pick<DutyRuns, 'shares' | 'relay' | 'cancels' | 'outcomes' | 'healing' | 'expiry' | 'sweep'>;
} {
  const { config, logger, db, store, changes, coordinator, claimMs, refusedMs } = c;
  const { limits, windows } = config;
  const { versions } = config.contracts.image;
  const shares = new ContractShares({ coordinator, kind: imageKind, versions, producer: c.producer.name, build: c.producer.build, clock: systemClock, logger });
  const contracts: ImageChoice = new ContractChoice(config.contracts.image, shares);
  const metrics = c.metrics.files;
  const records = new FileRecords(db);
  const jobs = fileJobs(db, windows.writeMs);
  const applier = new OutcomeApplier({ target: new FileOutcomes({ db, records, contracts, changes, writeWindowMs: windows.writeMs }), metrics, logger });
  const relay = new Relay({ jobs, writer: imageJobWriter(contracts, records), coordinator, applier, metrics, logger, claimMs, refusedMs });
  return {
    jobs,
    shares,
    swept: sweptFiles(db, windows),
    parts: {
      records, store, contracts, changes, logger, limits,
      jobs: c.views,
      inFlight: new InFlight(jobs, { what: 'photos', max: limits.maxQueued, clock: systemClock, onRefused: () => metrics.namespaceFull.inc() }),
      pageTokens: c.pageTokens,
      clock: systemClock,
      onQueued: () => c.wake('relay'),
      onDeleted: () => c.wake('cancels'),
    },
    duties: {
      shares: async (signal) => {
        await shares.askWhenDue(signal);
        return 0;
      },
      relay: (signal) => relay.run(signal),
      cancels: (signal) => cancelJobs({ jobs, coordinator, logger, claimMs }, signal),
      outcomes: (signal) => pullOutcomes({ coordinator, kind: imageKind, versions, producer: shares.producer, applier, waitMs: config.coordinator.outcomesWaitMs }, signal),
      healing: () => healQueued({ jobs, metrics, logger, healAfterMs: config.duties.healAfterMs, onHealed: () => c.wake('relay') }),
      expiry: () => expirePending({ db, changes, metrics: c.metrics, logger, uploadWindowMs: windows.uploadMs }),
      sweep: (signal) => sweepFiles({ db, store, changes, metrics: c.metrics, logger, windows, claimMs: config.store.timeoutMs }, signal),
    },
  };
}

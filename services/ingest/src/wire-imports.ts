import { systemClock } from '@leasehold/service';
import { Ledger } from '@leasehold/stock-ledger';
import { cancelJobs } from './cancels/cancel.js';
import type { ImportChoice } from './contract/import-contracts.js';
import { healQueued } from './healing/heal.js';
import { importJobWriter } from './imports/import-job.js';
import { ImportOutcomes } from './imports/import-outcomes.js';
import { ImportJobs } from './imports/jobs/import-jobs.js';
import type { ImportParts } from './imports/parts.js';
import { importKind } from './imports/resource-name.js';
import { Validations } from './imports/validations.js';
import { ContractChoice } from './jobs/contract-choice.js';
import { ContractShares } from './jobs/contract-shares.js';
import { InFlight } from './jobs/in-flight.js';
import { OutcomeApplier } from './outcomes/apply.js';
import { pullOutcomes } from './outcomes/pull.js';
import { Relay } from './relay/relay.js';
import type { SweptObjects } from './sweep/bucket-pass.js';
import { sweptShipments } from './sweep/swept-shipments.js';
import type { Common, DutyRuns } from './wiring.js';

/** Rows that go to the archive, or batches that are forgotten, in one statement. */
const archivedAtOnce = 10_000;
const forgottenAtOnce = 1_000;

/** Imports: their owners' calls, their duties, and what of the bucket is theirs. */
export function wireImports(c: Common): {
  parts: ImportParts;
  jobs: ImportJobs;
  shares: ContractShares;
  swept: SweptObjects;
  duties: Pick<DutyRuns, 'import-shares' | 'import-relay' | 'import-cancels' | 'import-outcomes' | 'import-healing' | 'archive' | 'idempotency'>;
} {
  const { config, logger, db, store, changes, coordinator, claimMs, refusedMs } = c;
  const limits = config.imports;
  const { versions } = config.contracts.import;
  const shares = new ContractShares({ coordinator, kind: importKind, versions, producer: c.producer.name, build: c.producer.build, clock: systemClock, logger });
  const contracts: ImportChoice = new ContractChoice(config.contracts.import, shares);
  const metrics = c.metrics.imports;
  const ledger = new Ledger(db);
  const jobs = new ImportJobs(db);
  const onQueued = (): void => c.wake('import-relay');
  const applier = new OutcomeApplier({ target: new ImportOutcomes({ db, ledger, jobs, contracts, changes, onQueued }), metrics, logger });
  const relay = new Relay({ jobs, writer: importJobWriter(contracts, ledger), coordinator, applier, metrics, logger, claimMs, refusedMs });
  return {
    jobs,
    shares,
    swept: sweptShipments(ledger, { orphanMs: config.windows.writeMs, retentionMs: limits.retentionMs }),
    parts: {
      db, ledger, jobs, store, contracts, changes, logger, limits, onQueued,
      inFlight: new InFlight(jobs, { what: 'imports', max: limits.maxQueued, clock: systemClock, onRefused: () => metrics.namespaceFull.inc() }),
      views: c.views,
      validations: new Validations({ atOnce: limits.validateAtOnce, maxSkus: limits.validateMaxSkus }),
      pageTokens: c.pageTokens,
      clock: systemClock,
      onCancelled: () => c.wake('import-cancels'),
    },
    duties: {
      'import-shares': async (signal) => {
        await shares.askWhenDue(signal);
        return 0;
      },
      'import-relay': (signal) => relay.run(signal),
      'import-cancels': (signal) => cancelJobs({ jobs, coordinator, logger, claimMs }, signal),
      'import-outcomes': (signal) => pullOutcomes({ coordinator, kind: importKind, versions, producer: shares.producer, applier, waitMs: config.coordinator.outcomesWaitMs }, signal),
      'import-healing': () => healQueued({ jobs, metrics, logger, healAfterMs: config.duties.healAfterMs, onHealed: onQueued }),
      archive: async (signal) => counted(c.metrics.archived, await ledger.archive({ olderThanMs: config.duties.archiveAfterMs, limit: archivedAtOnce, signal })),
      idempotency: async () => counted(c.metrics.forgotten, await ledger.forgetExpired(forgottenAtOnce)),
    },
  };
}

function counted(counter: { inc(by: number): void }, rows: number): number {
  counter.inc(rows);
  return rows;
}

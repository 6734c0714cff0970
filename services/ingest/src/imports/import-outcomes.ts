import type { Database } from '@leasehold/postgres';
import type { JobOutcome, Ledger } from '@leasehold/stock-ledger';
import type { ImportChoice } from '../contract/import-contracts.js';
import { UnreadableResult } from '../jobs/contracts.js';
import type { Outcome } from '../jobs/outcome.js';
import type { OutcomeTarget, Settled } from '../outcomes/apply.js';
import type { Changes } from '../watch/changes.js';
import { importJobToStore } from './import-job.js';
import type { ImportJobs } from './jobs/import-jobs.js';
import { rejectionOf } from './rejection.js';
import { importName, parseImportJobName } from './resource-name.js';

export interface ImportOutcomeParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly jobs: ImportJobs;
  readonly contracts: ImportChoice;
  readonly changes: Changes;
  /** A job is owed again. */
  readonly onQueued: () => void;
}

/** Outcomes of imports' jobs: proposals, which the batch's row in the ledger decides. */
export class ImportOutcomes implements OutcomeTarget {
  readonly #parts: ImportOutcomeParts;

  constructor(parts: ImportOutcomeParts) {
    this.#parts = parts;
  }

  async settle(outcome: Outcome): Promise<Settled> {
    const { db, ledger, jobs, contracts, changes, onQueued } = this.#parts;
    const id = parseImportJobName(outcome.name);
    if (id === undefined) return { fate: 'unknown' };
    const proposal = proposalOf(outcome);
    const { verdict, imported, queuedMs } = await db.transaction(async (tx) => {
      const settled = await ledger.settle({ namespace: id.namespace, importId: id.importId, generation: id.generation, outcome: proposal, outcomeFence: outcome.fence }, tx);
      // A job whose outcome has lost against another may be the one that is still waited for.
      const queued = settled.verdict === 'superseded' ? undefined : await jobs.settled(tx, { namespace: id.namespace, id: id.importId, generation: id.generation });
      if (settled.verdict === 'reopened' && settled.import !== undefined) await jobs.owe(tx, id, settled.import.generation, importJobToStore(settled.import, contracts, 'forOwed'));
      return { verdict: settled.verdict, imported: settled.import, queuedMs: queued };
    });
    if (imported === undefined) return { fate: 'unknown' };
    changes.announce(importName(id));
    if (verdict === 'reopened') onQueued();
    // A run that applied or refused the batch has told the ledger itself: its outcome is the first that ingest hears of it.
    const counts = queuedMs !== undefined || verdict === 'ended' || verdict === 'reopened';
    if (!counts) return { fate: 'stale' };
    return { fate: 'applied', state: imported.state, reason: imported.rejection && rejectionOf(imported.rejection.reason), queuedMs: verdict === 'reopened' ? undefined : queuedMs };
  }

  async standing(outcome: Outcome): Promise<'counts' | 'stale' | 'unknown'> {
    const id = parseImportJobName(outcome.name);
    const found = id && (await this.#parts.ledger.find(id));
    if (found === undefined) return 'unknown';
    return found.state === 'accepted' && found.generation === id?.generation && outcome.fence > found.outcomeFence ? 'counts' : 'stale';
  }
}

/**
 * Results are not read: what was applied is in the ledger. A job that ends because it found the batch ended claims no more than a success does:
 * that the batch is decided. Should the ledger know nothing of it, as after a restore, the batch is run again.
 */
function proposalOf({ cause, reason }: Outcome): JobOutcome {
  switch (cause) {
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'failed':
      return reason === 'ENDED' ? { kind: 'succeeded' } : { kind: 'refused', reason: rejectionOf(reason) };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'unreadable':
      throw new UnreadableResult('the outcome is in a state that is not known here');
  }
}

import { sql, type Transaction } from '@leasehold/postgres';
import type { ImportId, ImportRecord } from './import-record.js';
import { findHealed, one } from './rows.js';

const statements = { settle: sql(import.meta.url, 'settle'), hear: sql(import.meta.url, 'hear'), cancel: sql(import.meta.url, 'cancel'), retry: sql(import.meta.url, 'retry') };

/** What a coordinator says became of a job: a proposal, the batch's row decides. */
export type JobOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'cancelled' }
  /** Failed or exhausted; the reason is a word of the public list, UPPER_SNAKE. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface SettledJob extends ImportId {
  readonly generation: number;
  readonly outcome: JobOutcome;
  readonly outcomeFence: bigint;
}

/**
 * - ended: this outcome ended the batch.
 * - reopened: it claimed success and nothing is applied: ACCEPTED under a new generation, which needs a new job.
 * - kept: the batch was decided before (perhaps APPLIED); that stands.
 * - superseded: the outcome is of another generation, or a larger fence was heard.
 * - unknown: there is no such import.
 */
export type SettleVerdict = 'ended' | 'reopened' | 'kept' | 'superseded' | 'unknown';

export async function settle(db: Transaction, job: SettledJob): Promise<{ verdict: SettleVerdict; import: ImportRecord | undefined }> {
  const values = [job.namespace, job.importId, job.generation, job.outcomeFence, job.outcome.kind, job.outcome.kind === 'refused' ? job.outcome.reason : null];
  const settled = await one(db, statements.settle, values);
  if (settled !== undefined) return { verdict: settled.state === 'accepted' ? 'reopened' : 'ended', import: settled };
  const found = await findHealed(db, job);
  if (found === undefined) return { verdict: 'unknown', import: undefined };
  if (found.generation !== job.generation || found.state === 'accepted') return { verdict: 'superseded', import: found };
  return { verdict: 'kept', import: (await one(db, statements.hear, values)) ?? found };
}

/** `cancelled`: by this call or before; `ended`: it is APPLIED or REJECTED. */
export type CancelVerdict = 'cancelled' | 'ended' | 'unknown';

export async function cancel(db: Transaction, id: ImportId): Promise<{ verdict: CancelVerdict; import: ImportRecord | undefined; changed: boolean }> {
  const cancelled = await one(db, statements.cancel, [id.namespace, id.importId]);
  if (cancelled !== undefined) return { verdict: 'cancelled', import: cancelled, changed: true };
  const found = await findHealed(db, id);
  if (found === undefined) return { verdict: 'unknown', import: undefined, changed: false };
  // ACCEPTED again only if it was reopened a moment ago: the call did not mean that one.
  return { verdict: found.state === 'cancelled' ? 'cancelled' : 'ended', import: found, changed: false };
}

/** `repeated`: this revision was retried before; `stale`: another revision is current; `not_rejected`: there is nothing to retry. */
export type RetryVerdict = 'reopened' | 'repeated' | 'stale' | 'not_rejected' | 'unknown';

export async function retry(db: Transaction, id: ImportId, revision: bigint): Promise<{ verdict: RetryVerdict; import: ImportRecord | undefined }> {
  const reopened = await one(db, statements.retry, [id.namespace, id.importId, revision]);
  if (reopened !== undefined) return { verdict: 'reopened', import: reopened };
  const found = await findHealed(db, id);
  if (found === undefined) return { verdict: 'unknown', import: undefined };
  if (found.retriedRevisions.includes(revision)) return { verdict: 'repeated', import: found };
  return { verdict: found.state === 'rejected' ? 'stale' : 'not_rejected', import: found };
}

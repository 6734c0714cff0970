import { sql, type Transaction } from '@leasehold/postgres';
import type { ImportId, ImportRecord } from './import-record.js';
import { findHealed, one } from './rows.js';

const statements = { begin: sql(import.meta.url, 'begin'), reject: sql(import.meta.url, 'reject') };

/** One attempt at one generation of a batch. */
export interface RunIdentity extends ImportId {
  readonly generation: number;
  /** Of the lease. */
  readonly fence: bigint;
  /** A digest of the lease's token: never the token, which is a secret. */
  readonly tokenDigest: Uint8Array;
}

/**
 * - begun: this run may apply, until a later one begins or the batch ends.
 * - ended: nothing is left to do; `import` says what became of it.
 * - superseded: a later run or generation has the batch.
 * - unknown: there is no such import.
 */
export type BeginVerdict = 'begun' | 'ended' | 'superseded' | 'unknown';

/** A fault of a file, as it is kept for its owner. */
export interface RowError {
  /** The physical line, from 1; 0 where the whole file is meant. */
  readonly line: number;
  /** The column by its header; empty where the whole line is meant. */
  readonly column: string;
  /** A word of the jobs' contract, UPPER_SNAKE. */
  readonly code: string;
  readonly message: string;
}

export interface Refusal {
  readonly reason: string;
  /** At most 100, in the file's order. */
  readonly faults: readonly RowError[];
  /** All that were found. */
  readonly faultCount: number;
}

/** `ended`: the batch was decided otherwise before; `lost`: a later run or generation has it; `unknown`: there is no such import. */
export type RejectVerdict = 'rejected' | 'ended' | 'lost' | 'unknown';

export const maxKeptFaults = 100;

export async function begin(db: Transaction, run: RunIdentity): Promise<{ verdict: BeginVerdict; import: ImportRecord | undefined }> {
  const begun = await one(db, statements.begin, [run.namespace, run.importId, run.generation, run.fence, run.tokenDigest]);
  if (begun !== undefined) return { verdict: 'begun', import: begun };
  const found = await findHealed(db, run);
  if (found === undefined) return { verdict: 'unknown', import: undefined };
  return { verdict: found.generation === run.generation && found.state !== 'accepted' ? 'ended' : 'superseded', import: found };
}

export async function reject(db: Transaction, run: RunIdentity, refusal: Refusal): Promise<{ verdict: RejectVerdict; import: ImportRecord | undefined }> {
  const faults = refusal.faults.slice(0, maxKeptFaults);
  const rejected = await one(db, statements.reject, [
    run.namespace, run.importId, run.generation, run.fence, run.tokenDigest, refusal.reason, Math.max(refusal.faultCount, faults.length),
    faults.map((f) => f.line), faults.map((f) => f.column), faults.map((f) => f.code), faults.map((f) => f.message),
  ]);
  if (rejected !== undefined) return { verdict: 'rejected', import: rejected };
  const found = await findHealed(db, run);
  if (found === undefined) return { verdict: 'unknown', import: undefined };
  if (found.generation !== run.generation || found.state === 'accepted') return { verdict: 'lost', import: found };
  // The repeat of this very verdict: only a run rejects at a fence that was begun.
  const repeated = found.state === 'rejected' && found.endedBy === 'run' && found.outcomeFence >= run.fence;
  return { verdict: repeated ? 'rejected' : 'ended', import: found };
}

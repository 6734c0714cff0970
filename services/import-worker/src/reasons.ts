import type { ImportReason } from '@leasehold/jobs-imports-v2';
import { JobFault, type FailureClass } from '@leasehold/worker-runtime';

/** A word of the closed list that crosses the wire: imports.proto's ImportReason by name, without its zero value. Those that version 1 lacks are of a layout that it cannot ask for. */
export type Reason = Exclude<keyof typeof ImportReason, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** The one place that says which reasons are retried: `content` is final at once, `technical` is retried while attempts are left. */
export const faultClassOf: Readonly<Record<Reason, FailureClass>> = Object.freeze({
  EMPTY: 'content',
  ENCODING: 'content',
  HEADER: 'content',
  QUOTING: 'content',
  RAGGED: 'content',
  QUANTITY: 'content',
  SKU: 'content',
  WAREHOUSE: 'content',
  OPERATION: 'content',
  LIMIT: 'content',
  NEGATIVE_STOCK: 'content',
  SOURCE_MISMATCH: 'content',
  ENDED: 'content',
  STORE_UNAVAILABLE: 'technical',
  TIMEOUT: 'technical',
  INTERNAL: 'technical',
  LEDGER_UNAVAILABLE: 'technical',
});

const isReason = (word: string): word is Reason => Object.hasOwn(faultClassOf, word);

/** The reason of a refusal that the ledger keeps: its words are those of the contract. Throws a RangeError for any other. */
export function reasonOf(word: string): Reason {
  if (isReason(word)) return word;
  throw new RangeError(`${word} is not a reason of the contract`);
}

/** Why an import came to nothing. The message is for the worker's own log, and holds nothing of the file: only the reason leaves the process. */
export const importFault = (reason: Reason, message: string, cause?: unknown): JobFault => new JobFault(reason, faultClassOf[reason], message, { cause });

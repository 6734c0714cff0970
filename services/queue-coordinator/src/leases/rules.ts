import { createHash } from 'node:crypto';
import type { Fence } from './fence.js';

// A lease, seen from the coordinator:
//
//   grant ─▶ LEASED ─complete─▶ SUCCEEDED
//              │ ├─fail: content, or attempts spent─▶ FAILED
//              │ ├─fail: technical / release / expiry─▶ QUEUED (a later grant draws a larger fence)
//              │ └─cancel─▶ CANCELLED
//
// Only the holder of the row's token settles; only the expire duty, a cancel or max_run end a lease without it. A lease past its time that nobody
// voided still holds.

/** What a holder says about its lease. */
export type Verb =
  | { readonly verb: 'complete'; readonly result: Uint8Array }
  | { readonly verb: 'fail'; readonly reason: string; readonly contentFault: boolean }
  | { readonly verb: 'release'; readonly unreadable: boolean };

export interface Settlement {
  readonly enqueueId: bigint;
  readonly leaseToken: Uint8Array;
  /** As the worker says, for the record of a refusal; the token decides. */
  readonly fence: Fence;
  readonly said: Verb;
}

/**
 * What makes two settlements of one lease the same: verb and content. A repeat must say the same as the first call; with other
 * content it is refused.
 */
export function settlementDigest(said: Verb): Buffer {
  const hash = createHash('sha256').update(said.verb).update('\0');
  switch (said.verb) {
    case 'complete':
      hash.update(said.result);
      break;
    case 'fail':
      hash.update(said.contentFault ? 'content\0' : 'technical\0').update(said.reason);
      break;
    case 'release':
      hash.update(said.unreadable ? 'unreadable' : '');
      break;
  }
  return hash.digest();
}

/** A lease of a worker, as the coordinator has it on record. */
export interface RecordedLease {
  readonly fence: Fence;
  readonly requestSeq: bigint;
}

/** How an acquire is to be treated, from the worker's numbering of its calls. */
export type AcquireMode = 'grant' | 'replay' | 'stale';

/**
 * A call whose number the worker already calls answered is an old copy that came late: granting for it would lease jobs to nobody. One whose number
 * has leases on record is a repeat.
 */
export function acquireMode(requestSeq: bigint, answeredSeq: bigint, recorded: readonly RecordedLease[]): AcquireMode {
  if (requestSeq <= answeredSeq) return 'stale';
  return recorded.some((lease) => lease.requestSeq === requestSeq) ? 'replay' : 'grant';
}

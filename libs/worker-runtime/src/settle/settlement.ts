import type { Fence } from '../lease/fence.js';

/** Whose fault a failure is. */
export type FailureClass = 'content' | 'technical';

/** Why a lease is handed back. */
export type HandBack = 'drain' | 'overcommitted' | 'unreadable_contract';

/** How a lease ends. Once it was sent for a lease, no other is ever sent for it. */
export type SettlementContent =
  | { readonly verb: 'complete'; readonly result: Uint8Array }
  | { readonly verb: 'fail'; readonly reason: string; readonly faultClass: FailureClass }
  | { readonly verb: 'release'; readonly cause: HandBack };

/** What the coordinator said to a settlement. */
export type SettlementAnswer =
  | { readonly verdict: 'settled' }
  /** `currentFence` stands over the job now; 0 when none does. */
  | { readonly verdict: 'lease_lost'; readonly currentFence: bigint }
  | { readonly verdict: 'not_found' };

/** Largest result of a job (lease.v1, Complete.result). */
export const MOST_RESULT_BYTES = 256 * 1024;

/** The reason of a failure that the handler did not name; part of every kind's closed list. */
export const INTERNAL: SettlementContent = { verb: 'fail', reason: 'INTERNAL', faultClass: 'technical' };

/**
 * What may still be said of a run once its lease is not trusted: that it did not work out, for reasons outside of its input. Neither a
 * result nor a verdict on the content: another holder may have come to its own by now.
 *
 * It is said, rather than leaving the lease to expire: a fence that is silently dropped from the held ones counts as undelivered, and a
 * job that runs into max_run again and again would never spend an attempt.
 */
export function withoutTrust(content: SettlementContent): SettlementContent {
  if (content.verb === 'release') return content;
  return content.verb === 'fail' && content.faultClass === 'technical' ? content : INTERNAL;
}

/** A settlement on its way: it is repeated with the same content until it is answered. */
export interface Settlement {
  readonly fence: Fence;
  readonly enqueueId: bigint;
  readonly token: Uint8Array;
  readonly content: SettlementContent;
}

import { INTERNAL, MOST_RESULT_BYTES, withoutTrust, type SettlementContent } from '../settle/settlement.js';
import { JobFault, UnreadableContract } from './job-fault.js';
import type { RunAborted } from './run-aborted.js';

/** How a run came to its end, before anything is made of it. */
export type RunEnd =
  | { readonly kind: 'returned'; readonly result: Uint8Array }
  | { readonly kind: 'unreadable'; readonly error: UnreadableContract }
  | { readonly kind: 'threw'; readonly error: unknown };

/**
 * What a run's end says to the coordinator; undefined: nothing, as the job was cancelled or the lease is lost.
 *
 * A run that was told to stop because the worker drains may still have finished: its result counts. If it threw instead, the job is
 * handed back, unless it found the content at fault.
 * @param aborted why the run was told to stop, if it was
 * @param trusted whether the lease may still be trusted now
 */
export function settlementOf(end: RunEnd, aborted: RunAborted | undefined, trusted: boolean): SettlementContent | undefined {
  if (aborted?.why === 'lost' || aborted?.why === 'cancelled') return undefined;
  const content = contentOf(end);
  const drained = aborted?.why === 'draining' && content.verb === 'fail' && content.faultClass === 'technical';
  if (drained) return { verb: 'release', cause: 'drain' };
  return trusted && aborted?.why !== 'untrusted' ? content : withoutTrust(content);
}

function contentOf(end: RunEnd): SettlementContent {
  switch (end.kind) {
    case 'returned':
      return isTooLarge(end.result) ? INTERNAL : { verb: 'complete', result: end.result };
    case 'unreadable':
      return { verb: 'release', cause: 'unreadable_contract' };
    case 'threw':
      return end.error instanceof JobFault ? { verb: 'fail', reason: end.error.reason, faultClass: end.error.faultClass } : INTERNAL;
  }
}

/** Sent all the same, it would be refused and its companions with it. */
export const isTooLarge = (result: Uint8Array): boolean => result.byteLength > MOST_RESULT_BYTES;

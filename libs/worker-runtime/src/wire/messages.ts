import {
  FaultClass, LeaseExtensionVerdict, ReleaseCause, Settlement as SettlementMessage, SettlementVerdict, WorkerDirective,
  type Lease, type LeaseExtensionResult, type SettlementResult,
} from '@leasehold/lease-v1';
import { msOfDuration } from '@leasehold/rpc';
import { fenceOf } from '../lease/fence.js';
import type { Grant } from '../lease/granted-lease.js';
import type { HandBack, Settlement, SettlementAnswer } from '../settle/settlement.js';

/** An answer that does not fit its request, or says something that this build does not know: as good as no answer. */
export class AnswerUnusable extends Error {
  override readonly name = 'AnswerUnusable';
}

/** @throws RangeError for a lease without a fence */
export const grantOf = (m: Lease): Grant => ({
  lease: {
    namespace: m.namespace,
    kind: m.kind,
    jobId: m.jobId,
    enqueueId: m.enqueueId,
    contractVersion: m.contractVersion,
    payload: m.payload,
    fence: fenceOf(m.fence),
    token: m.leaseToken,
    attempt: m.attempt,
    maxAttempts: m.maxAttempts,
  },
  ttlMs: msOfDuration(m.ttl),
  grantedAfterMs: msOfDuration(m.grantedAfter),
  runLeftMs: msOfDuration(m.runLeft),
});

/** What the coordinator says of one extension; undefined where it says nothing that this build knows. */
export type ExtensionAnswer = { readonly verdict: 'continue'; readonly ttlMs: number } | { readonly verdict: 'cancelled' } | { readonly verdict: 'lost' };

export function extensionAnswerOf(m: LeaseExtensionResult): ExtensionAnswer | undefined {
  switch (m.verdict) {
    case LeaseExtensionVerdict.CONTINUE:
      return { verdict: 'continue', ttlMs: msOfDuration(m.ttl) };
    case LeaseExtensionVerdict.CANCELLED:
      return { verdict: 'cancelled' };
    case LeaseExtensionVerdict.LOST:
      return { verdict: 'lost' };
    default:
      return undefined;
  }
}

/** @throws AnswerUnusable */
export function settlementAnswerOf(m: SettlementResult): SettlementAnswer {
  switch (m.verdict) {
    case SettlementVerdict.SETTLED:
      return { verdict: 'settled' };
    case SettlementVerdict.LEASE_LOST:
      return { verdict: 'lease_lost', currentFence: m.currentFence };
    case SettlementVerdict.NOT_FOUND:
      return { verdict: 'not_found' };
    default:
      throw new AnswerUnusable(`settlement verdict ${m.verdict}`);
  }
}

export type Directive = 'continue' | 'drain' | 'reregister';

export function directiveOf(m: WorkerDirective): Directive {
  if (m === WorkerDirective.DRAIN) return 'drain';
  return m === WorkerDirective.REREGISTER ? 'reregister' : 'continue';
}

const causes: Readonly<Record<HandBack, ReleaseCause>> = {
  drain: ReleaseCause.DRAIN,
  overcommitted: ReleaseCause.OVERCOMMITTED,
  unreadable_contract: ReleaseCause.UNREADABLE_CONTRACT,
};

export const settlementMessage = (s: Settlement): SettlementMessage =>
  SettlementMessage.create({ enqueueId: s.enqueueId, leaseToken: asBuffer(s.token), fence: s.fence, verb: verbOf(s) });

function verbOf({ content }: Settlement): NonNullable<SettlementMessage['verb']> {
  switch (content.verb) {
    case 'complete':
      return { $case: 'complete', value: { result: asBuffer(content.result) } };
    case 'fail':
      return { $case: 'fail', value: { reason: content.reason, faultClass: content.faultClass === 'content' ? FaultClass.CONTENT : FaultClass.TECHNICAL } };
    case 'release':
      return { $case: 'release', value: { cause: causes[content.cause] } };
  }
}

// A view, not a copy: results are up to 256 KiB each.
const asBuffer = (bytes: Uint8Array): Buffer => (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));

/** @throws AnswerUnusable when an answer per item was due and their number differs */
export function pairUp<A, B>(asked: readonly A[], answers: readonly B[]): (readonly [A, B])[] {
  if (asked.length !== answers.length) throw new AnswerUnusable(`${answers.length} answers to ${asked.length} questions`);
  return asked.flatMap((a, i) => {
    const answer = answers[i];
    return answer === undefined ? [] : [[a, answer] as const];
  });
}

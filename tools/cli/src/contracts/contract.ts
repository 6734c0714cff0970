import { ContractState, type Contract, type Left } from '@leasehold/rollout-v1';
import { msOfDuration } from '@leasehold/rpc';
import { wordOfName } from '../contract-word.js';
import { age } from '../print/age.js';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';

export const contractData = (contract: Contract): object => ({
  contract: wordOfName(contract.name), state: wordOf(ContractState, contract.state), paused: contract.paused, sharePercent: contract.sharePercent, etag: contract.etag,
  descriptorDigest: contract.descriptorDigest, announceTime: contract.announceTime, updateTime: contract.updateTime,
});

export const leftData = (left: Left | undefined): object | undefined => left && {
  total: left.total, due: left.due, scheduled: left.scheduled, retrying: left.retrying, leased: left.leased, undispatched: left.undispatched, outcomes: left.outcomes,
  oldestJobAgeMs: msOf(left.oldestJobAge), oldestOutcomeAgeMs: msOf(left.oldestOutcomeAge),
};

/** Where those that are left stand: `3 (due 2, leased 1)`. */
export function leftText(left: Left | undefined): string {
  if (left === undefined || left.total === 0n) return '0';
  const parts = ([['due', left.due], ['scheduled', left.scheduled], ['retrying', left.retrying], ['leased', left.leased], ['undispatched', left.undispatched], ['outcomes', left.outcomes]] as const)
    .filter(([, count]) => count > 0n).map(([what, count]) => `${what} ${count}`);
  return `${left.total} (${parts.join(', ')})`;
}

export const oldestText = (left: Left | undefined): string => {
  const ms = msOf(left?.oldestJobAge) ?? msOf(left?.oldestOutcomeAge);
  return ms === undefined ? '' : age(ms);
};

const msOf = (duration: Parameters<typeof msOfDuration>[0]): number | undefined => (duration === undefined ? undefined : msOfDuration(duration));

/** The state, with what holds it up. */
export function stateText(contract: Contract, { ink }: Session): string {
  const word = wordOf(ContractState, contract.state);
  const painted = contract.state === ContractState.OPEN ? ink.green(word) : word;
  return contract.paused ? `${painted} ${ink.yellow('PAUSED')}` : painted;
}

/** In one sentence, after a step. */
export const contractSentence = (contract: Contract, session: Session): string =>
  `${wordOfName(contract.name)} is ${stateText(contract, session)} and is given ${contract.sharePercent} % of new jobs (etag ${contract.etag})`;

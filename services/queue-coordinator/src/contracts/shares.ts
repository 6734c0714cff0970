import { createHash } from 'node:crypto';
import type { Contract } from './contract.js';

/** How much of what is new goes to a version, in percent. */
export interface Share {
  readonly version: number;
  readonly percent: number;
}

const newestFirst = (a: Share, b: Share): number => b.version - a.version;
const largestFirst = (a: Share, b: Share): number => b.percent - a.percent || newestFirst(a, b);

/** Gives the largest share what others leave over, so that all add up to 100; newest version first. Empty when there is none. */
const whole = (shares: readonly Share[]): Share[] => {
  const missing = 100 - shares.reduce((sum, share) => sum + share.percent, 0);
  const [largest] = shares.toSorted(largestFirst);
  return shares.map((share) => (share === largest ? { ...share, percent: share.percent + missing } : share)).toSorted(newestFirst);
};

/** What a producer is to write: the OPEN versions among those that it can, whose shares add up to 100, newest first. */
export const sharesFor = (contracts: readonly Contract[], writes: readonly number[]): Share[] =>
  whole(contracts.filter((c) => c.state === 'open' && writes.includes(c.version)).map((c) => ({ version: c.version, percent: c.sharePercent })));

/** The shares of the OPEN versions once `version` has `percent`; the rest is `remainder`'s. */
export const sharesWith = (open: readonly number[], version: number, percent: number, remainder: number | undefined): Share[] =>
  open.map((each) => ({ version: each, percent: each === version ? percent : each === remainder ? 100 - percent : 0 }));

/** The shares once a version is gone from the OPEN ones, or one came: whoever is left shares everything. */
export const sharesAmong = (open: readonly Share[]): Share[] => whole(open);

/**
 * The version that a job of this id is written in, by the rule of queue.v1 (GetContractShares): a job's place is fixed, and newest versions come first, so that a larger
 * share of the newest one moves jobs to it and none away. Undefined when there is no share.
 */
export function versionFor(shares: readonly Share[], jobId: string): number | undefined {
  const place = createHash('sha256').update(jobId).digest().readUInt32BE(0) % 100;
  let bound = 0;
  for (const { version, percent } of shares) {
    bound += percent;
    if (place < bound) return version;
  }
  return undefined;
}

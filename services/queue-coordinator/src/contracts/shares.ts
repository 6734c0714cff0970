import type { Share } from '@leasehold/contract-shares';
import type { Contract } from './contract.js';

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

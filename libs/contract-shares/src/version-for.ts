import { createHash } from 'node:crypto';

/** How much of what is new goes to a version, in percent. */
export interface Share {
  readonly version: number;
  readonly percent: number;
}

/** A job's place among all, 0 to 99, for ever: the first four bytes of SHA-256 over its id, big-endian, modulo 100 (queue.v1, GetContractShares). */
export const placeOf = (jobId: string): number => createHash('sha256').update(jobId).digest().readUInt32BE(0) % 100;

/**
 * The version that a job of this id is written in: the first whose upper bound is above the job's place. A place is fixed, and newest versions come first, so
 * that a larger share of the newest one moves jobs to it and none away.
 * @param shares newest version first, 100 in all
 * @returns undefined when there is no share
 */
export function versionFor(shares: readonly Share[], jobId: string): number | undefined {
  const place = placeOf(jobId);
  let bound = 0;
  for (const { version, percent } of shares) {
    bound += percent;
    if (place < bound) return version;
  }
  return undefined;
}

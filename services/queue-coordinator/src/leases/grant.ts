import { randomBytes } from 'node:crypto';
import { sql, type Database } from '@leasehold/postgres';
import { leaseOf, type Granted, type GrantRequest, type Lease, type LeaseRow } from './lease.js';

const grantNextSql = sql(import.meta.url, 'grant-next');
const grantProposedSql = sql(import.meta.url, 'grant-proposed');

/** What requests that are granted together have in common: kind, build and versions are those of each. */
export type GrantClass = Pick<GrantRequest, 'kind' | 'build' | 'versions'>;

/** The slots that requests offer, in order: each is the request that it belongs to. */
export const slotsOf = (requests: readonly GrantRequest[]): GrantRequest[] => requests.flatMap((request) => Array.from({ length: request.slots }, () => request));

/** Where grant-next.sql looks, one class per element. */
export interface Classes {
  readonly versions: readonly number[];
  readonly priorities: readonly number[];
  readonly floors: readonly Date[];
}

/** Proposes and grants in one statement: one row per lease, in claim order. */
export const grantNext = (db: Database, { kind, build }: GrantClass, classes: Classes, slots: readonly GrantRequest[]): Promise<LeaseRow[]> =>
  db.query<LeaseRow>(grantNextSql, [
    kind, build, classes.versions, classes.priorities, classes.floors,
    randomTokens(slots.length), slots.map((r) => r.workerId), slots.map((r) => r.requestSeq),
  ]);

/** A job that a dispatcher proposes, with the token that its lease is to have. */
export interface Proposal {
  readonly enqueueId: bigint;
  readonly token: Buffer;
}

/** Grants what was proposed, the first to the first slot, as far as the rows allow: one row per lease. There are at most as many proposals as slots. */
export const grantProposed = (db: Database, { kind, build, versions }: GrantClass, proposals: readonly Proposal[], slots: readonly GrantRequest[]): Promise<LeaseRow[]> => {
  const takers = proposals.map((_, index) => {
    const taker = slots[index];
    if (taker === undefined) throw new RangeError(`${proposals.length} proposals for ${slots.length} slots`);
    return taker;
  });
  return db.query<LeaseRow>(grantProposedSql, [
    kind, build, versions, proposals.map((p) => p.enqueueId), proposals.map((p) => p.token), takers.map((r) => r.workerId), takers.map((r) => r.requestSeq),
  ]);
};

/** Gives each request the leases of its slots. */
export function dealOut(requests: readonly GrantRequest[], slots: readonly GrantRequest[], rows: readonly LeaseRow[], sentAtMs: number): Granted[] {
  const byRequest = new Map<GrantRequest, Lease[]>(requests.map((request) => [request, []]));
  for (const row of rows) {
    const request = slots[Number(row.slot) - 1];
    if (request === undefined) throw new Error(`a grant answered slot ${row.slot} of ${slots.length}`);
    byRequest.get(request)?.push(leaseOf(row, request.kind));
  }
  return requests.map((request) => ({ leases: byRequest.get(request) ?? [], sentAtMs }));
}

const tokenBytes = 16;

/** One draw for the whole batch: a draw of its own per token costs more than the grant's arithmetic. */
export function randomTokens(count: number): Buffer[] {
  const bytes = randomBytes(count * tokenBytes);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * tokenBytes, (i + 1) * tokenBytes));
}

import type { HeldLease } from '../lease/lease-book.js';
import type { RenewalPlan } from './renewal-plan.js';

/** How many leases one call may extend (lease.v1, ExtendLeasesRequest.extensions). */
const MOST_EXTENSIONS_A_CALL = 512;

/** A deadline so short that a healthy coordinator would miss it helps nobody. */
const SHORTEST_DEADLINE_MS = 250;

export interface Heartbeats {
  readonly plan: RenewalPlan;
  /** When the last answered heartbeat was sent. */
  readonly lastSentAtMs: number;
  /** How long new progress may wait to be shown. */
  readonly progressEveryMs: number;
}

/**
 * When to send the next heartbeat: when the first lease is due, to show new progress, or as a sign of life.
 * @param extendable the leases that can be extended
 */
export function nextHeartbeatAt(extendable: readonly HeldLease[], beats: Heartbeats): number {
  let next = beats.lastSentAtMs + beats.plan.everyMs;
  for (const { trust, unsentProgress } of extendable) {
    next = Math.min(next, trust.renewAtMs);
    if (unsentProgress !== undefined) next = Math.min(next, beats.lastSentAtMs + beats.progressEveryMs);
  }
  return next;
}

/**
 * Which leases a heartbeat sent now extends: all of them once one is due, so that they fall due together from then on; between
 * renewals only those with progress to show.
 */
export function extensionsAt(nowMs: number, extendable: readonly HeldLease[], beats: Heartbeats): readonly HeldLease[] {
  const due = nowMs >= beats.lastSentAtMs + beats.plan.everyMs || extendable.some((e) => nowMs >= e.trust.renewAtMs);
  return due ? extendable : extendable.filter((e) => e.unsentProgress !== undefined);
}

/**
 * How long to wait for the answer: at most a quarter of the lease (lease.v1, ExtendLeases), also of one that was granted for less
 * than the policy said at registration.
 */
export function deadlineFor(extensions: readonly HeldLease[], plan: RenewalPlan): number {
  const shortest = extensions.reduce((least, e) => Math.min(least, e.trust.ttlMs / 4), plan.deadlineMs);
  return Math.min(plan.deadlineMs, Math.max(SHORTEST_DEADLINE_MS, shortest));
}

/** The calls of one heartbeat; one empty call when there is nothing to extend. */
export function callsOf(extensions: readonly HeldLease[]): (readonly HeldLease[])[] {
  const calls: (readonly HeldLease[])[] = [];
  for (let at = 0; at < extensions.length; at += MOST_EXTENSIONS_A_CALL) calls.push(extensions.slice(at, at + MOST_EXTENSIONS_A_CALL));
  return calls.length === 0 ? [[]] : calls;
}

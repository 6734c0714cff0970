import type { Readiness } from '@leasehold/service';
import type { Granted, GrantRequest } from '../leases/lease.js';

export const dispatcherNames = ['postgres', 'bullmq'] as const;
export type DispatcherName = (typeof dispatcherNames)[number];

/** What became of a job, told after the statement that decided it was committed. */
export interface Move {
  readonly kind: string;
  readonly contractVersion: number;
  readonly enqueueId: bigint;
  /** Of the lease that ended with it; undefined: nobody held one. */
  readonly token: Uint8Array | undefined;
  readonly to: { readonly state: 'queued'; readonly delayMs: number } | { readonly state: 'succeeded' | 'failed' | 'cancelled'; readonly reason: string };
}

/**
 * Proposes which job is next, and wakes. It may be wrong, late or wiped: the rows decide, and every grant is a conditional write of one. What it is told
 * may get lost on the way; it finds out by itself from the rows.
 */
export interface Dispatcher {
  readonly name: DispatcherName;
  /** Leases up to `slots` due jobs to each request, first things first; none when none is due, or when it cannot propose now. All requests are of one kind, build and set of versions. */
  grant(requests: readonly GrantRequest[]): Promise<Granted[]>;
  /** Jobs of the kind were enqueued here. Returns at once and never throws, as moved() does. */
  enqueued(kind: string): void;
  moved(moves: readonly Move[]): void;
  /** Whether it can propose now, as of what it last saw; asks nobody. */
  readiness(): readonly Readiness[];
}

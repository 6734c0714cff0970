/** How many leases one acquire call may ask for (lease.v1, AcquireLeasesRequest.max_leases). */
const MOST_LEASES_A_CALL = 512;

/**
 * Settlements that wait for their answer take no credit, so that the next job is fetched while they are on their way; but a worker
 * that hears nothing back must stop taking more before its list of held fences grows without bound.
 */
const MOST_UNANSWERED_SETTLEMENTS = 1024;

export interface Load {
  /** Slots. */
  readonly concurrency: number;
  /** Leases to hold beyond the slots. */
  readonly prefetch: number;
  /** Slots taken: also by runs whose lease is gone and that have not returned yet. */
  readonly running: number;
  readonly prefetched: number;
  readonly settling: number;
}

/** Places for leases that are neither running nor prefetched; negative when an answer gave more than was asked for. */
export const freePlaces = (load: Load): number => load.concurrency + load.prefetch - load.running - load.prefetched;

/** How many more leases the worker can ask for now: 0 to 512. */
export function credits(load: Load): number {
  if (load.settling >= MOST_UNANSWERED_SETTLEMENTS) return 0;
  return Math.max(0, Math.min(freePlaces(load), MOST_LEASES_A_CALL));
}

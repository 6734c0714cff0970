/** How a worker keeps its leases alive, derived from the kind's policy. */
export interface RenewalPlan {
  /** From one heartbeat to the next, also when nothing is held: the sign of life. A third of the lease time. */
  readonly everyMs: number;
  /** Longest wait for the answer to one heartbeat, a quarter of the lease time; then another connection is tried. */
  readonly deadlineMs: number;
}

/**
 * The kind's lease time is too short for the worker's margin: a lease could be lost without anything having gone wrong. Either lower the
 * worker's margin or give the kind a longer lease.
 */
export class LeaseTooShort extends Error {
  constructor(kind: string, leaseTtlMs: number, marginMs: number) {
    const mostMs = Math.floor((leaseTtlMs * 5) / 12);
    super(
      `kind ${kind}: a lease of ${leaseTtlMs} ms does not hold the renewal interval (${Math.round(leaseTtlMs / 3)} ms), one heartbeat's deadline ` +
        `(${Math.round(leaseTtlMs / 4)} ms) and the margin (${marginMs} ms): set the margin to at most ${mostMs} ms, or the kind's lease time to at least ` +
        `${Math.ceil((marginMs * 12) / 5)} ms`,
    );
    this.name = 'LeaseTooShort';
  }
}

/**
 * @throws LeaseTooShort when interval + deadline + margin exceed the lease time
 */
export function planRenewal(kind: string, leaseTtlMs: number, marginMs: number): RenewalPlan {
  const plan = { everyMs: leaseTtlMs / 3, deadlineMs: leaseTtlMs / 4 };
  if (!(plan.everyMs + plan.deadlineMs + marginMs <= leaseTtlMs)) throw new LeaseTooShort(kind, leaseTtlMs, marginMs);
  return plan;
}

/**
 * Until when a worker may act on a lease, by its own monotonic clock (all times in ms of that clock).
 *
 * The coordinator's database judges leases; a worker only ever knows a moment before which the lease surely holds: whatever the
 * database saw happened after the request was sent, so counting from the sending never trusts too long, however slow the answer.
 */
export interface TrustWindow {
  /** The first moment at which the lease must not be trusted any more. */
  readonly endsAtMs: number;
  /** When to ask for an extension: after a third of what was granted. */
  readonly renewAtMs: number;
  /** What was granted; bounds how long an extension may be waited for. */
  readonly ttlMs: number;
}

/** Leases in their last moments (the end of max_run) would otherwise be renewed again and again without gaining time. */
const SHORTEST_RENEWAL_MS = 100;

/**
 * The window of a lease from an answered acquire call: sent + granted_after + ttl - margin (lease.v1, Lease.granted_after).
 * @param o.sentAtMs when the request was sent whose answer this is: of the repeat, where it was repeated
 * @param o.marginMs kept back for clocks that run at different speeds and for timers that fire late
 */
export function grantedWindow(o: { sentAtMs: number; grantedAfterMs: number; ttlMs: number; marginMs: number }): TrustWindow {
  return windowFrom(o.sentAtMs + o.grantedAfterMs, o.ttlMs, o.marginMs);
}

/**
 * The window of a lease from an answered extension: sent + ttl - margin. It replaces the earlier window also where it ends sooner:
 * the coordinator's rows may have been given a shorter lease time.
 */
export function extendedWindow(o: { sentAtMs: number; ttlMs: number; marginMs: number }): TrustWindow {
  return windowFrom(o.sentAtMs, o.ttlMs, o.marginMs);
}

function windowFrom(fromMs: number, ttlMs: number, marginMs: number): TrustWindow {
  return { endsAtMs: fromMs + ttlMs - marginMs, renewAtMs: fromMs + Math.max(ttlMs / 3, SHORTEST_RENEWAL_MS), ttlMs };
}

/** Whether the lease may be acted on now. Ask, rather than wait for a timer: after a pause of the process the timer is late. */
export const isTrusted = (window: TrustWindow, nowMs: number): boolean => nowMs < window.endsAtMs;

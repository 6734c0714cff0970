import type { Fence } from './fence.js';
import type { GrantedLease } from './granted-lease.js';
import { isTrusted, type TrustWindow } from './trust-window.js';

/**
 * ```
 * PREFETCHED ─a slot is free─▶ RUNNING ─the run ended─▶ SETTLING ─answered─▶ (gone)
 *      └────handed back, or unreadable────────────────────▲
 * PREFETCHED or RUNNING ─cancelled or lost─▶ (gone)
 * ```
 * Only SETTLING is left through the answer to a settlement, and nothing returns from it: its content is decided once.
 */
export type LeasePhase = 'prefetched' | 'running' | 'settling';

/** What a run has worked through, counted as its contract says. 0 where nothing is counted or known. */
export interface Amounts {
  readonly items: bigint;
  readonly bytes: bigint;
  readonly bytesTotal: bigint;
}

/** How far a run has come, as the handler last said. */
export interface Progress extends Amounts {
  readonly percent: number;
  readonly stage: string;
}

/** A lease that this worker holds: listed in every Acquire and Extend until its settlement was answered. */
export interface HeldLease {
  readonly lease: GrantedLease;
  /** Last moment of the whole run (max_run), whatever is extended. */
  readonly runEndsAtMs: number;
  readonly phase: LeasePhase;
  readonly trust: TrustWindow;
  /** The signal has fired because trust ended. Trust does not come back: the run was told to stop. */
  readonly untrusted: boolean;
  /** Reported by the handler, not yet answered by the coordinator. */
  readonly unsentProgress: Progress | undefined;
}

type Entry = { -readonly [K in keyof HeldLease]: HeldLease[K] };

/** What a lease needs left to be worth starting. */
export interface StartingNeeds {
  /** Trust, in ms: less, and the run would be told to stop before its first extension could be answered. */
  readonly trustMs: number;
  /** Of max_run, in ms. */
  readonly runMs: number;
}

/** The leases held. Pure bookkeeping: told the time, never asks for it. */
export class LeaseBook {
  readonly #entries = new Map<Fence, Entry>();
  /** Each in the order of arrival, which for prefetched ones is claim order. */
  readonly #in: Readonly<Record<LeasePhase, Map<Fence, Entry>>> = { prefetched: new Map(), running: new Map(), settling: new Map() };
  readonly #latestOfEnqueue = new Map<bigint, Entry>();

  /** undefined when the fence is held already: an answer was given twice. */
  admit(lease: GrantedLease, trust: TrustWindow, runEndsAtMs: number): HeldLease | undefined {
    if (this.#entries.has(lease.fence)) return undefined;
    const entry: Entry = { lease, trust, runEndsAtMs, phase: 'prefetched', untrusted: false, unsentProgress: undefined };
    this.#entries.set(lease.fence, entry);
    this.#in.prefetched.set(lease.fence, entry);
    this.#latestOfEnqueue.set(lease.enqueueId, entry);
    return entry;
  }

  get(fence: Fence): HeldLease | undefined {
    return this.#entries.get(fence);
  }

  heldFences(): Fence[] {
    return [...this.#entries.keys()];
  }

  count(phase: LeasePhase): number {
    return this.#in[phase].size;
  }

  in(phase: LeasePhase): HeldLease[] {
    return [...this.#in[phase].values()];
  }

  /** The first one in claim order. */
  nextPrefetched(): HeldLease | undefined {
    for (const entry of this.#in.prefetched.values()) return entry;
    return undefined;
  }

  startRun(fence: Fence): void {
    this.#move(fence, 'running', ['prefetched']);
  }

  /** @throws Error when the lease is settling already: two settlements of one token must not exist. */
  startSettling(fence: Fence): void {
    this.#move(fence, 'settling', ['prefetched', 'running']);
  }

  /** The lease is held no more. */
  drop(fence: Fence): void {
    const entry = this.#entries.get(fence);
    if (entry === undefined) return;
    this.#entries.delete(fence);
    this.#in[entry.phase].delete(fence);
    if (this.#latestOfEnqueue.get(entry.lease.enqueueId) === entry) this.#latestOfEnqueue.delete(entry.lease.enqueueId);
  }

  /** Takes over an answered extension; nothing when the lease has gone on to something that cannot be extended. */
  extend(fence: Fence, trust: TrustWindow, sentProgress: Progress | undefined): void {
    const entry = this.#entries.get(fence);
    if (entry === undefined || !isExtendable(entry)) return;
    entry.trust = trust;
    if (entry.unsentProgress === sentProgress) entry.unsentProgress = undefined;
  }

  report(fence: Fence, progress: Progress): void {
    const entry = this.#in.running.get(fence);
    if (entry !== undefined) entry.unsentProgress = progress;
  }

  /** Prefetched and running ones. Not those whose run was told to stop: extending those would keep their job from others. */
  extendable(): HeldLease[] {
    return [...this.#in.running.values(), ...this.#in.prefetched.values()].filter(isExtendable);
  }

  /** Running leases whose trust has ended and that are not marked so yet. */
  trustEnded(nowMs: number): HeldLease[] {
    const ended: HeldLease[] = [];
    for (const entry of this.#in.running.values()) if (!entry.untrusted && !isTrusted(entry.trust, nowMs)) ended.push(entry);
    return ended;
  }

  markUntrusted(fence: Fence): void {
    const entry = this.#in.running.get(fence);
    if (entry !== undefined) entry.untrusted = true;
  }

  /** Prefetched leases that are not worth starting any more. */
  overcommitted(nowMs: number, needs: StartingNeeds): HeldLease[] {
    const late: HeldLease[] = [];
    for (const entry of this.#in.prefetched.values()) if (nowMs >= lastStart(entry, needs)) late.push(entry);
    return late;
  }

  /** An earlier lease of the same enqueue that has not come to its settlement: a later grant proves that it is lost. */
  supersededBy(lease: GrantedLease): HeldLease | undefined {
    const latest = this.#latestOfEnqueue.get(lease.enqueueId);
    return latest !== undefined && latest.lease.fence < lease.fence && latest.phase !== 'settling' ? latest : undefined;
  }

  /** When `trustEnded` or `overcommitted` will next answer something; Infinity when never. */
  nextDeadline(needs: StartingNeeds): number {
    let next = Infinity;
    for (const entry of this.#in.prefetched.values()) next = Math.min(next, lastStart(entry, needs));
    for (const entry of this.#in.running.values()) if (!entry.untrusted) next = Math.min(next, entry.trust.endsAtMs);
    return next;
  }

  #move(fence: Fence, to: LeasePhase, from: readonly LeasePhase[]): void {
    const entry = this.#entries.get(fence);
    if (entry === undefined || !from.includes(entry.phase)) throw new Error(`lease ${fence} is ${entry?.phase ?? 'not held'}, not ${from.join(' or ')}`);
    this.#in[entry.phase].delete(fence);
    this.#in[to].set(fence, entry);
    entry.phase = to;
  }
}

const isExtendable = (entry: HeldLease): boolean => entry.phase === 'prefetched' || (entry.phase === 'running' && !entry.untrusted);

/** From then on it is not worth starting. */
export const lastStart = (entry: HeldLease, needs: StartingNeeds): number =>
  Math.min(entry.trust.endsAtMs - needs.trustMs, entry.runEndsAtMs - needs.runMs);

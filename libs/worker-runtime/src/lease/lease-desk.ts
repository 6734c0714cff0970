import type { Clock, Logger } from '@leasehold/service';
import type { LeaseOutcome, WorkerMetrics } from '../metrics.js';
import type { JobHandler } from '../run/job-handler.js';
import { JobCancelled, LeaseLost, LeaseUntrusted, WorkerDraining } from '../run/run-aborted.js';
import { settlementOf, type RunEnd } from '../run/run-end.js';
import { Runner, type Run } from '../run/runner.js';
import type { SettleOutbox } from '../settle/outbox.js';
import { outcomeOf, wordOf } from '../settle/outcome.js';
import type { Settlement, SettlementAnswer, SettlementContent } from '../settle/settlement.js';
import { credits, freePlaces, type Load } from './credits.js';
import type { Fence } from './fence.js';
import { logFieldsOf, type Grant, type GrantedLease } from './granted-lease.js';
import { lastStart, LeaseBook, type HeldLease, type Progress, type StartingNeeds } from './lease-book.js';
import { extendedWindow, grantedWindow, isTrusted } from './trust-window.js';

export interface LeaseDeskOptions<Model, Result> {
  readonly handler: JobHandler<Model, Result>;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly marginMs: number;
  /** How long a run may ignore its signal before it is reported, in ms. */
  readonly stuckAfterMs: number;
  /** What the kind's policy says a lease needs left to be worth starting. */
  needs(): StartingNeeds;
  readonly outbox: SettleOutbox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WorkerMetrics;
  /** Something changed that a loop may wait for. */
  onChange(): void;
}

/**
 * The one place where leases change hands within the worker: what the loops hear from the coordinator comes in here, runs start and
 * end here, settlements leave from here. Nothing in it waits.
 */
export class LeaseDesk<Model = unknown, Result = unknown> {
  readonly #o: LeaseDeskOptions<Model, Result>;
  readonly #book = new LeaseBook();
  readonly #runner: Runner<Model, Result>;
  readonly #ranMs = new Map<Fence, number>();
  readonly #stuck = new Set<Run>();
  #closed = false;

  constructor(o: LeaseDeskOptions<Model, Result>) {
    this.#o = o;
    this.#runner = new Runner({
      handler: o.handler,
      clock: o.clock,
      logger: o.logger,
      onProgress: (fence, progress) => {
        this.#book.report(fence, progress);
        o.onChange();
      },
      onEnd: (run, end) => this.#ended(run, end),
    });
    o.metrics.show({
      running: () => this.#runner.taken,
      prefetched: () => this.#book.count('prefetched'),
      settling: () => this.#book.count('settling'),
      stuck: () => this.#stuck.size,
    });
  }

  /** How many leases to ask for now; 0 once it is closed. */
  credits(): number {
    return this.#closed ? 0 : credits(this.#load());
  }

  heldFences(): Fence[] {
    return this.#book.heldFences();
  }

  extendable(): HeldLease[] {
    return this.#book.extendable();
  }

  /** Runs that have not returned, and of those the ones that still hold their lease. */
  runs(): { taken: number; holding: number } {
    return { taken: this.#runner.taken, holding: this.#book.count('running') };
  }

  get holdsNothing(): boolean {
    return this.#book.heldFences().length === 0;
  }

  stuckRuns(): number {
    return this.#stuck.size;
  }

  /** Takes the leases of an answered acquire call over: from here on they count as held. */
  receive(grants: readonly Grant[], sentAtMs: number): void {
    for (const { lease, ttlMs, grantedAfterMs, runLeftMs } of grants) {
      const older = this.#book.supersededBy(lease);
      if (older !== undefined) this.#lose(older, new LeaseLost());
      const full = freePlaces(this.#load()) < 1;
      const trust = grantedWindow({ sentAtMs, grantedAfterMs, ttlMs, marginMs: this.#o.marginMs });
      const held = this.#book.admit(lease, trust, sentAtMs + grantedAfterMs + runLeftMs);
      if (held === undefined) continue;
      if (this.#closed) this.#settle(held, { verb: 'release', cause: 'drain' });
      else if (full) this.#settle(held, { verb: 'release', cause: 'overcommitted' });
    }
    this.tick();
  }

  /** Takes an answered extension over. `sentProgress` is what went with it. */
  extended(fence: Fence, o: { sentAtMs: number; ttlMs: number; sentProgress: Progress | undefined }): void {
    this.#book.extend(fence, extendedWindow({ ...o, marginMs: this.#o.marginMs }), o.sentProgress);
    this.#o.onChange();
  }

  /** A heartbeat says that the lease is gone. */
  voided(fence: Fence, reason: JobCancelled | LeaseLost): void {
    const held = this.#book.get(fence);
    // Of one that is settling only the answer to its settlement counts: the settlement itself may have ended the lease.
    if (held === undefined || held.phase === 'settling') return;
    this.#lose(held, reason);
    this.#o.onChange();
  }

  settled({ fence, content }: Settlement, answer: SettlementAnswer): void {
    const held = this.#book.get(fence);
    if (held === undefined) return;
    const { lease } = held;
    if (answer.verdict === 'settled') {
      const fields = { ...logFieldsOf(lease), outcome: outcomeOf(content), reason: wordOf(content), run_ms: this.#ranMs.get(fence) };
      this.#o.logger.info({ event: content.verb === 'release' ? 'lease_released' : 'job_finished', ...fields });
      this.#leave(lease, outcomeOf(content));
    } else {
      const currentFence = answer.verdict === 'lease_lost' ? String(answer.currentFence) : undefined;
      this.#o.logger.warn({ event: 'lease_lost', ...logFieldsOf(lease), verb: content.verb, answer: answer.verdict, current_fence: currentFence }, 'the settlement was refused');
      this.#o.metrics.lost(lease, 'refused');
      this.#leave(lease, 'refused');
    }
    this.#o.onChange();
  }

  /** A settlement is given up unanswered: nobody can tell any more whether it counted. */
  unanswered({ fence, content }: Settlement): void {
    const held = this.#book.get(fence);
    if (held === undefined) return;
    this.#o.logger.error({ event: 'settlement_unanswered', ...logFieldsOf(held.lease), verb: content.verb }, 'no answer for as long as the coordinator remembers settlements');
    this.#leave(held.lease, 'unanswered');
    this.#o.onChange();
  }

  /** When `tick` is next needed; Infinity when nothing runs out. */
  nextDeadline(): number {
    let next = this.#book.nextDeadline(this.#o.needs());
    for (const run of this.#runner.runs()) if (run.aborted !== undefined && !this.#stuck.has(run)) next = Math.min(next, run.aborted.atMs + this.#o.stuckAfterMs);
    return next;
  }

  /** Does what has become due: ends trust, hands back what cannot be started in time, starts what can. */
  tick(): void {
    const nowMs = this.#o.clock.now();
    for (const held of this.#book.trustEnded(nowMs)) this.#endTrust(held);
    for (const held of this.#book.overcommitted(nowMs, this.#o.needs())) this.#settle(held, { verb: 'release', cause: 'overcommitted' });
    this.#reportStuck(nowMs);
    this.#fillSlots(nowMs);
    this.#o.onChange();
  }

  /** Takes nothing new from now on and hands back what has not started. Running jobs go on. */
  close(): void {
    this.#closed = true;
    for (const held of this.#book.in('prefetched')) this.#settle(held, { verb: 'release', cause: 'drain' });
    this.#o.onChange();
  }

  /** Tells every run to stop; what it then ends with still counts, for as long as its lease is not handed back. */
  abortRuns(): void {
    for (const run of this.#runner.runs()) this.#runner.abort(run.held.lease.fence, new WorkerDraining());
  }

  /** Hands back the leases of runs that have not returned. Their handlers are left behind. */
  handBackRuns(): void {
    for (const held of this.#book.in('running')) this.#settle(held, { verb: 'release', cause: 'drain' });
    this.#o.onChange();
  }

  #load(): Load {
    const { concurrency, prefetch } = this.#o;
    return { concurrency, prefetch, running: this.#runner.taken, prefetched: this.#book.count('prefetched'), settling: this.#book.count('settling') };
  }

  #fillSlots(nowMs: number): void {
    while (!this.#closed && this.#runner.taken < this.#o.concurrency) {
      const next = this.#book.nextPrefetched();
      if (next === undefined) return;
      if (nowMs < lastStart(next, this.#o.needs())) this.#start(next);
      else this.#settle(next, { verb: 'release', cause: 'overcommitted' });
    }
  }

  #start(held: HeldLease): void {
    this.#book.startRun(held.lease.fence);
    this.#o.logger.info({ event: 'job_started', ...logFieldsOf(held.lease), version: held.lease.contractVersion });
    this.#runner.start(held);
  }

  #ended(run: Run, end: RunEnd): void {
    const nowMs = this.#o.clock.now();
    const { lease } = run.held;
    this.#stuck.delete(run);
    this.#o.metrics.ran(lease, nowMs - run.startedAtMs);
    const held = this.#book.get(lease.fence);
    if (held?.phase === 'running') {
      const trusted = isTrusted(held.trust, nowMs);
      // The timer may be late; its event must not be missing.
      if (!trusted && !held.untrusted) this.#endTrust(held);
      this.#ranMs.set(lease.fence, Math.round(nowMs - run.startedAtMs));
      const content = settlementOf(end, run.aborted?.reason, trusted);
      if (content !== undefined) this.#settle(held, content);
    }
    this.#fillSlots(nowMs);
    this.#o.onChange();
  }

  #endTrust({ lease, trust, runEndsAtMs }: HeldLease): void {
    // A tenth, as both ends are reckoned from the sending of different calls.
    const runBoundReached = trust.endsAtMs + this.#o.marginMs + trust.ttlMs / 10 >= runEndsAtMs;
    this.#book.markUntrusted(lease.fence);
    this.#o.logger.warn({ event: 'lease_untrusted', ...logFieldsOf(lease), run_bound_reached: runBoundReached }, 'the run is told to stop');
    this.#o.metrics.lost(lease, 'untrusted');
    this.#runner.abort(lease.fence, new LeaseUntrusted(runBoundReached));
  }

  #settle(held: HeldLease, content: SettlementContent): void {
    this.#book.startSettling(held.lease.fence);
    this.#o.outbox.submit(held, content);
  }

  #lose({ lease, phase }: HeldLease, reason: JobCancelled | LeaseLost): void {
    this.#o.logger.warn({ event: 'lease_lost', ...logFieldsOf(lease), verb: 'extend', phase, cancelled: reason.why === 'cancelled' }, reason.message);
    this.#o.metrics.lost(lease, reason.why);
    this.#leave(lease, reason.why);
    this.#runner.abort(lease.fence, reason);
  }

  #leave(lease: GrantedLease, outcome: LeaseOutcome): void {
    this.#book.drop(lease.fence);
    this.#ranMs.delete(lease.fence);
    this.#o.metrics.ended(lease, outcome);
  }

  #reportStuck(nowMs: number): void {
    for (const run of this.#runner.runs()) {
      if (run.aborted === undefined || this.#stuck.has(run) || nowMs < run.aborted.atMs + this.#o.stuckAfterMs) continue;
      this.#stuck.add(run);
      const fields = { ...logFieldsOf(run.held.lease), stopped: run.aborted.reason.why, since_ms: Math.round(nowMs - run.aborted.atMs) };
      this.#o.logger.error({ event: 'run_stuck', ...fields }, 'the handler ignores its signal; its slot stays taken until it returns');
    }
  }
}

import { ExtendLeasesRequest, type ExtendLeasesResponse, type LeaseExtension } from '@leasehold/lease-v1';
import type { Clock, Logger } from '@leasehold/service';
import { backoffMs } from '../backoff.js';
import type { Waiter } from '../bell.js';
import type { HeldLease, Progress } from '../lease/lease-book.js';
import type { LeaseDesk } from '../lease/lease-desk.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Registrar } from '../register/registrar.js';
import { JobCancelled, LeaseLost } from '../run/run-aborted.js';
import type { Connections } from '../wire/connections.js';
import { AnswerUnusable, directiveOf, extensionAnswerOf, pairUp, type Directive } from '../wire/messages.js';
import type { RenewalPlan } from './renewal-plan.js';
import { callsOf, deadlineFor, extensionsAt, nextHeartbeatAt, type Heartbeats } from './schedule.js';

const BACKOFF = { baseMs: 50, maxMs: 1000 };

export interface RenewerOptions<Model, Result> {
  readonly desk: LeaseDesk<Model, Result>;
  readonly registrar: Registrar;
  readonly connections: Connections;
  readonly waiter: Waiter;
  readonly progressEveryMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WorkerMetrics;
  readonly random: () => number;
  onDirective(directive: Directive, workerId: string): void;
}

/** An extension as it was sent: progress that was reported meanwhile is for the next one. */
interface Asked {
  readonly held: HeldLease;
  readonly progress: Progress | undefined;
}

/**
 * The heartbeat: one at a time, each of one call or several. A heartbeat that failed is sent again at once on the next connection; only
 * after a round over all of them it pauses.
 */
export class Renewer<Model, Result> {
  readonly #o: RenewerOptions<Model, Result>;
  readonly #closed = new AbortController();
  #lastSentAtMs = 0;
  #failures = 0;
  #notBeforeMs = 0;
  #urged = false;

  constructor(o: RenewerOptions<Model, Result>) {
    this.#o = o;
  }

  /** Sends a heartbeat now: there is news in what it lists as held or answered. */
  urge(): void {
    this.#urged = true;
    this.#o.waiter.wake();
  }

  close(): void {
    this.#closed.abort(new Error('the worker has stopped'));
    this.#o.waiter.wake();
  }

  /** Returns once it is closed. */
  async run(): Promise<void> {
    this.#lastSentAtMs = this.#o.clock.now();
    while (!this.#closed.signal.aborted) {
      const plan = this.#o.registrar.policy?.plan;
      const nextMs = plan === undefined ? Infinity : this.#nextAt(plan);
      if (plan !== undefined && nextMs <= this.#o.clock.now()) await this.#beat(plan);
      else await this.#o.waiter.until(nextMs);
    }
  }

  #nextAt(plan: RenewalPlan): number {
    const wantedMs = this.#urged ? 0 : nextHeartbeatAt(this.#o.desk.extendable(), this.#beats(plan));
    return Math.max(wantedMs, this.#notBeforeMs);
  }

  #beats(plan: RenewalPlan): Heartbeats {
    return { plan, lastSentAtMs: this.#lastSentAtMs, progressEveryMs: this.#o.progressEveryMs };
  }

  async #beat(plan: RenewalPlan): Promise<void> {
    const sentAtMs = this.#o.clock.now();
    const urged = this.#urged;
    this.#urged = false;
    const extensions = extensionsAt(sentAtMs, this.#o.desk.extendable(), this.#beats(plan));
    const calls = await Promise.allSettled(callsOf(extensions).map((leases) => this.#call(leases, plan)));
    if (this.#closed.signal.aborted) return;
    const failed = calls.filter((c) => c.status === 'rejected');
    if (failed.length === 0) {
      this.#lastSentAtMs = sentAtMs;
      this.#failures = 0;
      return;
    }
    this.#urged ||= urged;
    this.#failures += 1;
    const rounds = Math.floor(this.#failures / this.#o.connections.size);
    const pauseMs = this.#failures % this.#o.connections.size === 0 ? backoffMs(rounds, { ...BACKOFF, random: this.#o.random }) : 0;
    this.#notBeforeMs = this.#o.clock.now() + pauseMs;
    this.#o.metrics.renewFailed();
    this.#o.logger.warn({ event: 'renew_failed', failures: this.#failures, err: failed[0]?.reason }, 'a heartbeat was not answered');
  }

  async #call(leases: readonly HeldLease[], plan: RenewalPlan): Promise<void> {
    const { desk, registrar, connections } = this.#o;
    const { workerId, sequence } = registrar.identity;
    const asked = leases.map((held) => ({ held, progress: held.unsentProgress }));
    const request = ExtendLeasesRequest.create({ workerId, answeredSeq: sequence.answeredSeq, heldFences: desk.heldFences(), extensions: asked.map(extensionOf) });
    const { response, sentAtMs } = await connections.call({ deadlineMs: deadlineFor(leases, plan), signal: this.#closed.signal, send: (c, o) => c.extendLeases(request, o) });
    this.#take(asked, response, sentAtMs);
    this.#o.onDirective(directiveOf(response.directive), workerId);
  }

  #take(asked: readonly Asked[], response: ExtendLeasesResponse, sentAtMs: number): void {
    let unknown = 0;
    for (const [{ held, progress }, result] of pairUp(asked, response.results)) {
      const { fence } = held.lease;
      const answer = extensionAnswerOf(result);
      if (answer === undefined) unknown += 1;
      else if (answer.verdict === 'continue') this.#o.desk.extended(fence, { sentAtMs, ttlMs: answer.ttlMs, sentProgress: progress });
      else this.#o.desk.voided(fence, answer.verdict === 'cancelled' ? new JobCancelled() : new LeaseLost());
    }
    if (unknown > 0) throw new AnswerUnusable(`${unknown} extensions were answered with a verdict that this build does not know`);
  }
}

const extensionOf = ({ held, progress }: Asked): LeaseExtension =>
  ({ enqueueId: held.lease.enqueueId, leaseToken: Buffer.from(held.lease.token), progress: progress === undefined ? undefined : { ...progress } });

import { AcquireLeasesRequest } from '@leasehold/lease-v1';
import { durationOfMs, Fault } from '@leasehold/rpc';
import type { Clock, Logger } from '@leasehold/service';
import { backoffMs } from '../backoff.js';
import type { Waiter } from '../bell.js';
import type { LeaseDesk } from '../lease/lease-desk.js';
import { KindUnknown } from '../register/policy.js';
import type { Registrar } from '../register/registrar.js';
import { LeaseTooShort } from '../renew/renewal-plan.js';
import type { Connections } from '../wire/connections.js';
import { directiveOf, grantOf, type Directive } from '../wire/messages.js';
import type { OpenRequest } from './sequence.js';

const BACKOFF = { baseMs: 100, maxMs: 5000 };
/** A long poll that is answered empty sooner than this was not waited for: by a coordinator that stops, or for a worker that is cordoned. */
const EMPTY_TOO_SOON_MS = 1000;

export interface AcquirerOptions<Model, Result> {
  readonly kind: string;
  readonly versions: readonly number[];
  /** How long one call may wait for a job at most: 0 to 30 s. */
  readonly waitMs: number;
  readonly desk: LeaseDesk<Model, Result>;
  readonly registrar: Registrar;
  readonly connections: Connections;
  readonly waiter: Waiter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  onDirective(directive: Directive, workerId: string): void;
  onRegistered(): void;
  /** The coordinator answered, and the worker's configuration does not fit what it said. */
  onMisfit(error: Error): void;
}

/**
 * Registers when that is due, then asks for leases whenever there are credits, one call at a time.
 *
 * A call whose answer was lost is repeated under its number, also on other connections, until it is answered. Only REREGISTER and the
 * end of taking give an open number up.
 */
export class Acquirer<Model, Result> {
  readonly #o: AcquirerOptions<Model, Result>;
  readonly #closed = new AbortController();
  #failures = 0;
  #emptyAnswers = 0;
  #notBeforeMs = 0;
  /** Lowered while answers are too large to be received. */
  #mostLeases = 512;

  constructor(o: AcquirerOptions<Model, Result>) {
    this.#o = o;
  }

  /** Takes nothing new: ends the call under way, whose leases go back to the queue. */
  close(): void {
    this.#closed.abort(new Error('the worker takes nothing new'));
    this.#o.registrar.identity.sequence.close();
    this.#o.waiter.wake();
  }

  /** Returns once it is closed. */
  async run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const { sequence } = this.#o.registrar.identity;
      const wanted = Math.min(this.#o.desk.credits(), this.#mostLeases);
      if (this.#o.clock.now() < this.#notBeforeMs) await this.#o.waiter.until(this.#notBeforeMs);
      else if (this.#o.registrar.isDue) await this.#try('register', () => this.#register());
      else if (sequence.open === undefined && wanted < 1) await this.#o.waiter.until(Infinity);
      else await this.#try('acquire', () => this.#acquire(sequence.next(wanted)));
    }
  }

  async #register(): Promise<void> {
    // An open number of the old registration cannot be answered under the new one.
    if (this.#o.registrar.changesIdentity) this.#o.registrar.identity.sequence.close();
    try {
      await this.#o.registrar.register(this.#closed.signal);
      this.#o.onRegistered();
    } catch (error) {
      if (error instanceof LeaseTooShort || error instanceof KindUnknown) this.#o.onMisfit(error);
      throw error;
    }
  }

  async #acquire(open: OpenRequest): Promise<void> {
    const { desk, registrar, kind, versions, connections } = this.#o;
    const { identity } = registrar;
    const { waitMs, deadlineMs } = this.#times();
    const request = AcquireLeasesRequest.create({
      workerId: identity.workerId,
      requestSeq: open.seq,
      answeredSeq: identity.sequence.answeredSeq,
      heldFences: desk.heldFences(),
      kind,
      contractVersions: [...versions],
      maxLeases: open.maxLeases,
      wait: durationOfMs(waitMs),
    });
    const { response, sentAtMs } = await connections.call({ deadlineMs, signal: this.#closed.signal, send: (c, o) => c.acquireLeases(request, o) });
    const grants = response.leases.map(grantOf);
    // In this order: from the moment at which the number counts as answered, every request must list these leases.
    desk.receive(grants, sentAtMs);
    identity.sequence.close();
    this.#pace(grants.length, sentAtMs, waitMs);
    this.#o.onDirective(directiveOf(response.directive), identity.workerId);
  }

  /**
   * Of one call. Leases that were granted at once in a call whose answer then hangs must still be there for the repeat, so the call as a
   * whole takes at most 7/12 of the lease time.
   */
  #times(): { waitMs: number; deadlineMs: number } {
    const plan = this.#o.registrar.policy?.plan;
    const waitMs = Math.min(this.#o.waitMs, plan?.everyMs ?? Infinity);
    return { waitMs, deadlineMs: waitMs + Math.min(plan?.deadlineMs ?? Infinity, 10_000) };
  }

  #pace(leases: number, sentAtMs: number, waitMs: number): void {
    const tookMs = this.#o.clock.now() - sentAtMs;
    this.#emptyAnswers = leases === 0 && tookMs < Math.min(waitMs, EMPTY_TOO_SOON_MS) ? this.#emptyAnswers + 1 : 0;
    if (this.#emptyAnswers > 0) this.#notBeforeMs = this.#o.clock.now() + this.#backoff(this.#emptyAnswers);
    if (leases > 0) this.#mostLeases = Math.min(512, this.#mostLeases * 2);
  }

  async #try(what: 'register' | 'acquire', act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#failures = 0;
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      this.#failures += 1;
      if (err instanceof Fault) this.#heed(err);
      const retryMs = Math.max(this.#backoff(this.#failures), err instanceof Fault ? (err.retryDelayMs ?? 0) : 0);
      this.#notBeforeMs = this.#o.clock.now() + retryMs;
      this.#o.logger.warn({ event: `${what}_failed`, failures: this.#failures, retry_ms: Math.round(retryMs), err }, `${what} was not answered`);
    }
  }

  #heed(fault: Fault): void {
    if (fault.reason === 'VERSION_NOT_DECLARED') this.#o.registrar.refresh();
    if (fault.reason !== 'MESSAGE_TOO_LARGE') return;
    // The same leases would be answered again under this number, and again be too large.
    const { sequence } = this.#o.registrar.identity;
    this.#mostLeases = Math.max(1, Math.floor((sequence.open?.maxLeases ?? 2) / 2));
    sequence.close();
  }

  #backoff(failures: number): number {
    return backoffMs(failures, { ...BACKOFF, random: this.#o.random });
  }
}

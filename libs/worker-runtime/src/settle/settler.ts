import { SettleLeasesRequest } from '@leasehold/lease-v1';
import { Fault, status } from '@leasehold/rpc';
import type { Clock, Logger } from '@leasehold/service';
import { backoffMs } from '../backoff.js';
import type { Waiter } from '../bell.js';
import type { LeaseDesk } from '../lease/lease-desk.js';
import type { Registrar } from '../register/registrar.js';
import type { Connections } from '../wire/connections.js';
import { pairUp, settlementAnswerOf, settlementMessage } from '../wire/messages.js';
import type { Batch, SettleOutbox } from './outbox.js';

const BACKOFF = { baseMs: 50, maxMs: 5000 };

export interface SettlerOptions<Model, Result> {
  readonly desk: LeaseDesk<Model, Result>;
  readonly outbox: SettleOutbox;
  readonly registrar: Registrar;
  readonly connections: Connections;
  readonly waiter: Waiter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

/**
 * Sends settlements, one call at a time: what is decided while a call is under way goes with the next. The worker runs two of these, so
 * that a call that hangs holds nothing else up.
 */
export class Settler<Model, Result> {
  readonly #o: SettlerOptions<Model, Result>;
  readonly #closed = new AbortController();

  constructor(o: SettlerOptions<Model, Result>) {
    this.#o = o;
  }

  close(): void {
    this.#closed.abort(new Error('the worker has stopped'));
    this.#o.waiter.wake();
  }

  /** Returns once it is closed. */
  async run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const batch = this.#o.outbox.take(this.#o.clock.now());
      if (batch === undefined) await this.#o.waiter.until(this.#o.outbox.nextAt());
      else await this.#send(batch);
    }
  }

  async #send(batch: Batch): Promise<void> {
    const { desk, registrar, connections, outbox, clock } = this.#o;
    const request = SettleLeasesRequest.create({ workerId: registrar.identity.workerId, settlements: batch.settlements.map(settlementMessage) });
    const deadlineMs = Math.min(registrar.policy?.plan.deadlineMs ?? Infinity, 10_000);
    try {
      const { response } = await connections.call({ deadlineMs, signal: this.#closed.signal, send: (c, o) => c.settleLeases(request, o) });
      // All of them before the first takes effect: a call whose answer is unusable is repeated as a whole.
      const answers = pairUp(batch.settlements, response.results.map(settlementAnswerOf));
      for (const [settlement, answer] of answers) desk.settled(settlement, answer);
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      const refused = err instanceof Fault && err.code === status.INVALID_ARGUMENT;
      const leastMs = err instanceof Fault ? (err.retryDelayMs ?? 0) : 0;
      const delayMs = (failures: number): number => Math.max(leastMs, backoffMs(failures, { ...BACKOFF, random: this.#o.random }));
      const abandoned = outbox.failed(batch, clock.now(), { refused, delayMs });
      this.#o.logger.warn({ event: 'settle_failed', settlements: batch.settlements.length, err }, 'settlements were not answered and are repeated');
      for (const settlement of abandoned) desk.unanswered(settlement);
    }
  }
}

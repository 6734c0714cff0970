import type { Clock } from '@leasehold/service';
import { withDeadline } from './deadline.js';
import type { LeaseCallOptions, LeaseConnection } from './lease-connection.js';

/** What came of a call, with the moment at which it was sent: trust is counted from there. */
export interface Answered<R> {
  readonly response: R;
  readonly sentAtMs: number;
}

/**
 * The connections to the coordinators. All calls use the same one until a call on it fails, then the next: a connection that hangs is
 * left by everybody at once. Repeating is the caller's business.
 */
export class Connections {
  readonly #connections: readonly LeaseConnection[];
  readonly #clock: Clock;
  #at = 0;

  /** @throws RangeError when there is none */
  constructor(connections: readonly LeaseConnection[], clock: Clock) {
    if (connections.length === 0) throw new RangeError('a worker needs at least one connection to a coordinator');
    this.#connections = connections;
    this.#clock = clock;
  }

  get size(): number {
    return this.#connections.length;
  }

  /**
   * One try on the current connection.
   * @throws what the connection throws, CallTimedOut after `deadlineMs`, or the reason of `signal`
   */
  async call<R>(o: { deadlineMs: number; signal: AbortSignal; send: (connection: LeaseConnection, o: LeaseCallOptions) => Promise<R> }): Promise<Answered<R>> {
    const at = this.#at;
    const connection = this.#connections[at];
    if (connection === undefined) throw new RangeError(`there is no connection ${at}`);
    const sentAtMs = this.#clock.now();
    try {
      const response = await withDeadline(this.#clock, o.deadlineMs, o.signal, (signal) => o.send(connection, { timeoutMs: o.deadlineMs, signal }));
      return { response, sentAtMs };
    } catch (error) {
      // Only the first of several calls that fail together moves on, or they would skip healthy connections.
      if (!o.signal.aborted && this.#at === at) this.#at = (at + 1) % this.#connections.length;
      throw error;
    }
  }
}

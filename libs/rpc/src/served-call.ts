import { setMaxListeners } from 'node:events';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { Logger } from '@leasehold/service';
import type { CallContext } from './call-context.js';
import { faults } from './faults.js';
import type { Identity } from './identity.js';

/** What grpc-js offers of a call, whatever its kind. */
export type SurfaceCall = Pick<ServerUnaryCall<unknown, unknown>, 'cancelled' | 'getAuthContext' | 'getDeadline' | 'getPeer' | 'metadata'> & {
  on(event: 'cancelled', listener: () => void): unknown;
};

/** grpc-js judges deadlines with a timer, which may fire a little before its time. */
const TIMER_SLACK_MS = 2;

/** The context of one call. `finished()` must be called when the handler has ended: grpc-js says "cancelled" after every call. */
export class ServedCall implements CallContext {
  readonly draining: AbortSignal;
  readonly deadlineMs?: number;
  readonly metadata: Metadata;
  readonly peer: string;
  readonly identity: Identity;
  readonly #arrivedAt = performance.now();
  readonly #abort = new AbortController();
  readonly #path: string;
  readonly #logger: Logger;
  #log: Logger | undefined;
  #finished = false;

  constructor(call: SurfaceCall, o: { path: string; domain: string; identity: Identity; draining: AbortSignal; logger: Logger }) {
    this.draining = o.draining;
    this.metadata = call.metadata;
    this.peer = call.getPeer();
    this.identity = o.identity;
    this.#path = o.path;
    this.#logger = o.logger;
    // A handler that does many things at once hands the signal to each, and Node would warn of a leak.
    setMaxListeners(0, this.#abort.signal);
    const leftMs = Number(call.getDeadline()) - Date.now();
    if (Number.isFinite(leftMs)) this.deadlineMs = Math.max(0, leftMs);
    const abort = (): void => {
      if (this.#finished) return;
      const late = this.remainingMs() <= TIMER_SLACK_MS;
      this.#abort.abort(late ? faults(o.domain).deadline() : faults(o.domain).cancelled());
    };
    call.on('cancelled', abort);
    if (call.cancelled) abort();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get log(): Logger {
    this.#log ??= this.#logger.child({ method: this.#path });
    return this.#log;
  }

  remainingMs(): number {
    // By the monotonic clock since the arrival: a step of the wall clock must not stretch or cut what is passed on.
    return this.deadlineMs === undefined ? Infinity : Math.max(0, this.deadlineMs - (performance.now() - this.#arrivedAt));
  }

  finished(): void {
    this.#finished = true;
  }
}

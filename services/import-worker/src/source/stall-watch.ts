import type { Clock } from '@leasehold/service';

/**
 * Ends a stream that stands still: its signal fires when one `read` takes longer than it may. A bound on each read and not on all of them, as a file may
 * be as large as its limit, and the reader as slow as the database.
 */
export class StallWatch {
  readonly #stalled = new AbortController();
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #late: () => Error;

  constructor(o: { clock: Clock; limitMs: number; late: () => Error }) {
    this.#clock = o.clock;
    this.#limitMs = o.limitMs;
    this.#late = o.late;
  }

  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  /** One read, which must reject soon after the signal has fired. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    this.#clock.wait(this.#limitMs, ended.signal).then(
      () => this.#stalled.abort(this.#late()),
      () => undefined, // ended in time
    );
    try {
      return await read();
    } finally {
      ended.abort();
    }
  }
}

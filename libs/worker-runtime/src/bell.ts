import type { Clock } from '@leasehold/service';

/** Tells the worker's loops that something changed. Each loop has a Waiter of its own and looks at the state anew when woken. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #ringing = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  waiter(): Waiter {
    const waiter = new Waiter(this.#clock);
    this.#waiters.add(waiter);
    return waiter;
  }

  /** Wakes the loops in the next turn of the event loop: what changes until then, they find together, and send together. */
  ring(): void {
    if (this.#ringing) return;
    this.#ringing = true;
    setImmediate(() => {
      this.#ringing = false;
      for (const waiter of this.#waiters) waiter.wake();
    });
  }
}

/** One loop's place to sleep. A ring while it is awake is remembered, so that no change falls between looking and sleeping. */
export class Waiter {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at `atMs` of the clock (Infinity: never by itself), or when the bell rings, or has rung since the last wait. */
  async until(atMs: number): Promise<void> {
    const ms = atMs - this.#clock.now();
    if (!this.#rung && ms > 0) await this.#sleep(ms);
    this.#rung = false;
  }

  async #sleep(ms: number): Promise<void> {
    const woken = new AbortController();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms < Infinity) void this.#clock.wait(ms, woken.signal).then(resolve, () => undefined);
    });
    this.#wake = undefined;
    woken.abort();
  }
}

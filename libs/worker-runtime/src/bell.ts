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

  /** Once no loop runs any more: an alarm that is left would keep the process alive. */
  close(): void {
    for (const waiter of this.#waiters) waiter.close();
  }
}

/** One loop's place to sleep. A ring while it is awake is remembered, so that no change falls between looking and sleeping. */
export class Waiter {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;
  #alarm: Alarm | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /**
   * Resolves at `atMs` of the clock (Infinity: never by itself), or when the bell rings, or has rung since the last wait; and at times too early, as the alarm of an earlier wait is
   * left to ring: every ring wakes every loop, and setting an alarm anew for each took more CPU time than what the loops do.
   */
  async until(atMs: number): Promise<void> {
    if (!this.#rung && atMs > this.#clock.now()) await this.#sleep(atMs);
    this.#rung = false;
  }

  /** Nobody waits any more: takes the alarm away. */
  close(): void {
    this.#alarm?.stopped.abort();
    this.#alarm = undefined;
  }

  async #sleep(atMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#setAlarm(atMs);
    });
    this.#wake = undefined;
  }

  #setAlarm(atMs: number): void {
    if (atMs >= (this.#alarm?.atMs ?? Infinity)) return;
    this.close();
    const alarm = (this.#alarm = { atMs, stopped: new AbortController() });
    const ring = (): void => {
      if (this.#alarm === alarm) this.#alarm = undefined;
      this.#wake?.();
    };
    this.#clock.wait(atMs - this.#clock.now(), alarm.stopped.signal).then(ring, () => undefined);
  }
}

interface Alarm {
  readonly atMs: number;
  readonly stopped: AbortController;
}

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Time as a part that can be exchanged: code that waits takes a Clock, and its tests move a ManualClock. */
export interface Clock {
  /** Milliseconds since some fixed moment; never goes back, says nothing about the time of day. */
  now(): number;
  /** Resolves after `ms` milliseconds (0 or less: in a later turn). Rejects with an AbortError when `signal` is or becomes aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout fires at once for anything larger, which would turn "wait very long" into a busy loop.
const longestTimerMs = 2 ** 31 - 1;

/** The machine's monotonic clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  async wait(ms, signal) {
    await sleep(Math.min(Math.max(ms, 0), longestTimerMs), undefined, signal === undefined ? {} : { signal });
  },
};

interface Waiter {
  readonly dueAt: number;
  readonly resolve: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #waiters = new Set<Waiter>();

  now(): number {
    return this.#now;
  }

  /** How many waits are pending: tells a test that the code under test has gone to sleep. */
  get pending(): number {
    return this.#waiters.size;
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { dueAt: this.#now + Math.max(ms, 0), resolve: () => { signal?.removeEventListener('abort', onAbort); resolve(); } };
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        reject(new DOMException('The wait was aborted', 'AbortError'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /**
   * Moves time on by `ms` and wakes every wait that falls due, in order of time. Between two of them the code that was woken runs
   * until it waits for something else than promises, so that a wait which it adds within the span is served too.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settle();
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#now = next.dueAt;
      this.#waiters.delete(next);
      next.resolve();
      await settle();
    }
    this.#now = until;
  }

  #next(until: number): Waiter | undefined {
    let first: Waiter | undefined;
    for (const waiter of this.#waiters) {
      if (waiter.dueAt <= until && (first === undefined || waiter.dueAt < first.dueAt)) first = waiter;
    }
    return first;
  }
}

// Some turns, not one: code under test may itself yield to the event loop once or twice before it waits again.
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

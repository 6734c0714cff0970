import { EventEmitter } from 'node:events';

/**
 * What may have changed: `due <kind>` (a job of the kind may be claimable), `outcome <kind>` (one waits to be pulled),
 * `change` (some job changed). Hints only: whoever waits also polls.
 */
export type Topic = `due ${string}` | `outcome ${string}` | 'change';

/** Lets long polls sleep until something may have changed. */
export class Wakeups {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  wake(topic: Topic): void {
    this.#emitter.emit(topic);
  }

  /** Wakes everybody: after notifications may have been missed. */
  wakeAll(): void {
    for (const topic of this.#emitter.eventNames()) this.#emitter.emit(topic);
  }

  /** Starts to listen before the caller looks, so that a wake-up between its look and its wait is not missed. */
  subscribe(topic: Topic): Subscription {
    let woken = false;
    let notify: (() => void) | undefined;
    const listener = (): void => {
      woken = true;
      notify?.();
    };
    this.#emitter.on(topic, listener);
    return {
      wait: (timeoutMs, signal) =>
        new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            notify = undefined;
            woken = false;
            resolve();
          };
          const timer = setTimeout(done, timeoutMs);
          signal.addEventListener('abort', done);
          notify = done;
          if (woken || signal.aborted) done();
        }),
      close: () => void this.#emitter.off(topic, listener),
    };
  }
}

export interface Subscription {
  /** Returns after a wake-up since the last wait, after timeoutMs, or when the signal fires. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** How long a long poll sleeps at most before it looks again by itself: LISTEN may be lost without an error. At most 5 s by design. */
export const pollFloorMs = 1_000;

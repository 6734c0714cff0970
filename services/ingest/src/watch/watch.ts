import type { Clock } from '@leasehold/service';
import type { Changes } from './changes.js';

/** A resource that is watched, as its owner sees it. */
export interface Watched<V> {
  /** The resource's name, by which its changes are told. */
  readonly name: string;
  readonly changes: Changes;
  readonly clock: Clock;
  read(): Promise<V>;
  /** Equal for two views of which the second tells its owner nothing new. */
  fingerprint(view: V): string;
  isFinal(view: V): boolean;
  /** How long to wait for a change before looking again, in ms. */
  lookAgainMs(view: V): number;
}

/**
 * The resource now and after each change of it, its attempt or its progress, until it is final. Woken by the change itself; polls as
 * well, as a wake-up is only a hint.
 */
export async function* watch<V>(watched: Watched<V>, signal: AbortSignal): AsyncGenerator<V> {
  const changed = new Wake();
  // Before the first read: a change between the two would be missed.
  const unsubscribe = watched.changes.subscribe(watched.name, () => changed.ring());
  try {
    let sent = '';
    while (!signal.aborted) {
      const now = await watched.read();
      const text = watched.fingerprint(now);
      if (text !== sent) yield now;
      sent = text;
      if (watched.isFinal(now)) return;
      await changed.wait(watched.lookAgainMs(now), watched.clock, signal);
    }
  } finally {
    unsubscribe();
  }
}

/** Ends one wait early; a ring while nobody waits ends the next one. */
class Wake {
  #rung = false;
  #end: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#end?.();
  }

  /** Until it rings, `ms` have passed or the signal fires. */
  async wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (!this.#rung) {
      const rung = new AbortController();
      this.#end = () => rung.abort();
      await clock.wait(ms, AbortSignal.any([signal, rung.signal])).catch(() => undefined);
      this.#end = undefined;
    }
    this.#rung = false;
  }
}

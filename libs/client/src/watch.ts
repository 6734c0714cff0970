import { backOff, wasAway } from './retry.js';

/** A resource that the server tells of until it is final. */
export interface Watched<R> {
  /** Opens the stream of its states. */
  readonly open: () => AsyncIterable<R | undefined>;
  /** Equal for two states of which the second tells nothing new. */
  readonly keyOf: (state: R) => string;
  readonly isFinal: (state: R) => boolean;
}

/**
 * The resource now and after each change, until it is final. When the stream breaks or the server restarts it is opened again for as long as the
 * signal allows; as each message is the whole resource nothing is missed, and what was shown is not shown twice.
 */
export async function* watch<R>({ open, keyOf, isFinal }: Watched<R>, signal: AbortSignal | undefined): AsyncGenerator<R> {
  let shown: string | undefined;
  for (let failures = 0; ; ) {
    try {
      for await (const state of open()) {
        failures = 0;
        if (state === undefined || keyOf(state) === shown) continue;
        shown = keyOf(state);
        yield state;
        if (isFinal(state)) return;
      }
      // The server ended a watch of what is not final: it is draining.
      await backOff(++failures, undefined, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!wasAway(error)) throw error;
      await backOff(++failures, error, signal);
    }
  }
}

/** The last state, each being shown as it comes. */
export async function last<R>(states: AsyncIterable<R>, onChange: ((state: R) => void) | undefined): Promise<R | undefined> {
  let latest: R | undefined;
  for await (const state of states) {
    latest = state;
    onChange?.(state);
  }
  return latest;
}

import type { Clock } from '@leasehold/service';

/**
 * Runs `act` with a signal that fires with `signal`, and after `limitMs` with `late()` as its reason. `act` must reject with its signal's
 * reason.
 */
export async function withinTime<T>(o: { clock: Clock; limitMs: number; signal: AbortSignal; late: () => Error }, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const tooLate = new AbortController();
  o.clock.wait(o.limitMs, ended.signal).then(
    () => tooLate.abort(o.late()),
    () => undefined, // ended in time
  );
  try {
    return await act(AbortSignal.any([o.signal, tooLate.signal]));
  } finally {
    ended.abort();
  }
}

import type { Clock } from '@leasehold/service';
import { PhotoFault } from './reasons.js';

/**
 * Runs `act` with a signal that fires with `signal`, and after `limitMs` with a PhotoFault TIMEOUT as its reason. `act` must reject with its
 * signal's reason.
 */
export async function withinTime<T>(o: { clock: Clock; limitMs: number; signal: AbortSignal; what: string }, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const tooLate = new AbortController();
  o.clock.wait(o.limitMs, ended.signal).then(
    () => tooLate.abort(new PhotoFault('TIMEOUT', `${o.what}: not done within ${o.limitMs} ms`)),
    () => undefined, // ended in time
  );
  try {
    return await act(AbortSignal.any([o.signal, tooLate.signal]));
  } finally {
    ended.abort();
  }
}

import type { Clock } from '@leasehold/service';

/** A call was not answered in time. */
export class CallTimedOut extends Error {
  override readonly name = 'CallTimedOut';
}

/**
 * Runs `call` and stops waiting for it after `ms` of the clock, or when `outer` aborts; the signal that `call` gets fires then. The
 * worker keeps its own deadlines beside gRPC's because trust is reckoned on this clock, and a call that does not obey must not hold
 * up the next one.
 * @throws CallTimedOut, the reason of `outer`, or what `call` throws
 */
export async function withDeadline<R>(clock: Clock, ms: number, outer: AbortSignal, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
  outer.throwIfAborted();
  const inner = new AbortController();
  const answered = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    inner.signal.addEventListener('abort', () => reject(asError(inner.signal.reason)), { once: true });
  });
  // Not AbortSignal.any: with a signal as long-lived as the worker it keeps every derived one alive on Node 20.
  const stop = (): void => inner.abort(outer.reason);
  outer.addEventListener('abort', stop, { once: true });
  clock.wait(ms, answered.signal).then(() => inner.abort(new CallTimedOut(`no answer within ${Math.round(ms)} ms`)), () => undefined);
  try {
    return await Promise.race([call(inner.signal), stopped]);
  } finally {
    outer.removeEventListener('abort', stop);
    answered.abort();
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('aborted'));

/** Somebody asked for the end: Ctrl-C, SIGTERM, or a closed terminal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP. Further ones change nothing: npm and the terminal may both pass a Ctrl-C on, and a stop that is
 * under way has deadlines of its own.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort(new Interrupted(signal)));
  return controller.signal;
}

/** The promise, or the signal's reason once that aborts. What the promise becomes later is ignored. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Interrupted(String(signal.reason)));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * The source's items until the signal fires, then a throw of its reason at once, also while the source hangs. The source is closed in
 * the background when it was not read to its end: waiting for it could hang for as long as its pending read does.
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T, void, void> {
  signal?.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  let abort = (): void => undefined;
  const onAbort = (): void => abort();
  // One promise per item, not one race against a promise that lives as long as the stream: that would keep every item's reaction.
  const next = (): Promise<IteratorResult<T, unknown>> => new Promise((resolve, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted === true) abort();
    else iterator.next().then(resolve, reject);
  });
  signal?.addEventListener('abort', onAbort);
  let ended = false;
  try {
    for (;;) {
      const result = await next().catch((error: unknown) => {
        ended = signal?.aborted !== true;
        throw error;
      });
      if (result.done === true) {
        ended = true;
        return;
      }
      yield result.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!ended) void close(iterator);
  }
}

async function close(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // Whoever stopped reading has an error of their own already.
  }
}

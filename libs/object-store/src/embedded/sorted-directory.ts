import { opendir } from 'node:fs/promises';
import { unless } from './os-fault.js';

/** Names held at once. A directory with more is read once more for each further window: time for memory. */
export const windowSize = 50_000;

export interface Sorting<T> {
  /** What a name means; undefined leaves it out. */
  readonly read: (name: string) => T | undefined;
  /** A strict order: 0 only for the same entry. */
  readonly compare: (a: T, b: T) => number;
  readonly window?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A directory's entries in order, with at most two windows of them in memory. A missing directory has none. Between two yields nothing is
 * open; an entry that exists throughout is given exactly once, one made or removed meanwhile at most once.
 */
export async function* sortedDirectory<T>(directory: string, o: Sorting<T>): AsyncGenerator<T, void, void> {
  const window = o.window ?? windowSize;
  let last: T | undefined;
  for (;;) {
    const entries = await leastAfter(directory, last, window, o);
    yield* entries;
    if (entries.length < window) return;
    last = entries.at(-1);
  }
}

async function leastAfter<T>(directory: string, after: T | undefined, window: number, o: Sorting<T>): Promise<T[]> {
  // Reading on in a directory that was removed meanwhile is ENOENT too: it was empty by then.
  const least = await unless(['ENOENT'], async () => {
    let kept: T[] = [];
    o.signal?.throwIfAborted();
    for await (const entry of await opendir(directory, { bufferSize: 256 })) {
      o.signal?.throwIfAborted();
      const item = o.read(entry.name);
      if (item === undefined || (after !== undefined && o.compare(item, after) <= 0)) continue;
      kept.push(item);
      if (kept.length >= 2 * window) kept = kept.sort(o.compare).slice(0, window);
    }
    return kept.sort(o.compare).slice(0, window);
  });
  return least ?? [];
}

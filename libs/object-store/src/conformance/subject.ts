import type { ObjectStore, StoredVersion } from '../object-store.js';

/** What an adapter brings to the suite. */
export interface StoreUnderTest {
  /** Opened with signing; its signed URLs must answer to HTTP while the suite runs. */
  readonly store: ObjectStore;
  /** The header of an upload's answer that names the stored version. */
  readonly versionIdHeader: string;
  close(): Promise<void>;
}

/** One test's view: keys below its prefix are its own. */
export interface Subject {
  readonly store: ObjectStore;
  readonly prefix: string;
  readonly versionIdHeader: string;
}

export async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

export const putText = (store: ObjectStore, key: string, text: string): Promise<StoredVersion> =>
  store.put(key, chunks(text), { contentType: 'text/plain' });

export async function getText(store: ObjectStore, key: string, versionId: string): Promise<string> {
  const { body } = await store.get(key, versionId);
  return Buffer.concat(await collect(body)).toString('utf8');
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const listedKeys = async (store: ObjectStore, prefix: string): Promise<string[]> =>
  (await collect(store.listVersions(prefix))).map((entry) => entry.key);

/** Yields `first`, then hangs as a stalled sender does. `stalled` resolves when it does, `closed` when its reader gave it up. */
export function stallingSource(first: Uint8Array): { body: AsyncIterable<Uint8Array>; stalled: Promise<void>; closed: Promise<void> } {
  const [stalled, stall] = latch();
  const [closed, close] = latch();
  let reads = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      reads += 1;
      if (reads === 1) return Promise.resolve({ done: false, value: first });
      stall();
      return new Promise(() => undefined);
    },
    return: () => {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { body: { [Symbol.asyncIterator]: () => iterator }, stalled, closed };
}

function latch(): [promise: Promise<void>, open: () => void] {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [promise, () => open()];
}

import { join } from 'node:path';
import type { DeleteMarker, ListedVersion } from '../object-store.js';
import { bytesOf, comparePartOrder, cut, directory, directoryName, keyDirectory, partOf, textOf } from './key-path.js';
import { sortedDirectory } from './sorted-directory.js';
import { recordedIn, type Recorded } from './version-name.js';

type Listed = AsyncGenerator<ListedVersion | DeleteMarker, void, void>;

/** By key, then newest first. Goes straight to the deepest directory that all keys with the prefix share. */
export async function* listPrefix(root: string, prefix: string, signal: AbortSignal | undefined): Listed {
  const { parts, rest } = cut(bytesOf(prefix));
  yield* walk(directory(root, parts), parts.map((part) => part.bytes).join(''), rest, signal);
}

export async function* listKey(root: string, key: string, signal: AbortSignal | undefined): Listed {
  yield* versions(keyDirectory(root, key), key, signal);
}

async function* walk(path: string, above: string, prefix: string, signal: AbortSignal | undefined): Listed {
  const read = (name: string) => {
    const part = partOf(name);
    return part?.bytes.startsWith(prefix) === true ? part : undefined;
  };
  for await (const part of sortedDirectory(path, { read, compare: comparePartOrder, signal })) {
    const below = join(path, directoryName(part));
    const bytes = above + part.bytes;
    if (part.kind === 'key') yield* versions(below, textOf(bytes), signal);
    else yield* walk(below, bytes, '', signal);
  }
}

async function* versions(path: string, key: string, signal: AbortSignal | undefined): Listed {
  for await (const recorded of sortedDirectory(path, { read: recordedIn, compare: newestFirst, signal })) {
    const { versionId, storedAt } = recorded;
    yield recorded.deleteMarker
      ? { key, versionId, storedAt, deleteMarker: true }
      : { key, versionId, sizeBytes: recorded.sizeBytes, storedAt, deleteMarker: false };
  }
}

function newestFirst(a: Recorded, b: Recorded): number {
  if (a.versionId === b.versionId) return 0;
  return a.versionId > b.versionId ? -1 : 1;
}

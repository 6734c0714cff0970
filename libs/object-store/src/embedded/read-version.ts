import { createHash } from 'node:crypto';
import { open, opendir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { GetOptions, ObjectVersion } from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import { unless } from './os-fault.js';
import { fileNameOf, recordedIn, type Recorded } from './version-name.js';

/** A message of a download stream. Each read is a round through the thread pool, so that small ones cost more than the bytes do. */
export const readChunkBytes = 256 * 1024;
/** Into memory that is there anyway. */
const readIntoBytes = 1024 * 1024;

/** The version or marker with this id; undefined when there is none. */
export async function findVersion(directory: string, versionId: string): Promise<Recorded | undefined> {
  // Reading on in a directory that was removed meanwhile is ENOENT too.
  return unless(['ENOENT'], async () => {
    for await (const entry of await opendir(directory)) {
      if (!entry.name.startsWith(versionId)) continue;
      const recorded = recordedIn(entry.name);
      if (recorded?.versionId === versionId) return recorded;
    }
    return undefined;
  });
}

/**
 * The version's bytes. The last chunk is only given out once size and SHA-256 have proved right, so bytes that were cut or changed
 * never look complete. Opens nothing until it is iterated, so a body that is never read holds nothing.
 */
export async function* readVersion(directory: string, version: ObjectVersion, { signal, into }: GetOptions): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const handle = await openVersion(directory, version);
  try {
    const digest = createHash('sha256');
    for (let position = 0; ;) {
      signal?.throwIfAborted();
      const chunk = await readChunk(handle, position, version.sizeBytes, into);
      position += chunk.byteLength;
      digest.update(chunk);
      const last = position === version.sizeBytes;
      if (last && version.sha256?.equals(digest.digest()) === false) throw new StoreFault('damaged', 'the stored bytes do not have the recorded SHA-256');
      if (chunk.byteLength > 0) yield chunk;
      if (last) return;
    }
  } finally {
    await handle.close();
  }
}

/** Throws `damaged` when the file does not have the recorded size, `not_found` when it is gone. */
export async function checkSize(directory: string, version: ObjectVersion): Promise<void> {
  const handle = await openVersion(directory, version);
  await handle.close();
}

async function openVersion(directory: string, version: ObjectVersion): Promise<FileHandle> {
  const name = fileNameOf({ ...version, sha256: version.sha256 ?? Buffer.alloc(0) });
  const handle = await unless(['ENOENT'], () => open(join(directory, name), 'r'));
  if (handle === undefined) throw new StoreFault('not_found', 'the version was deleted meanwhile');
  try {
    const { size } = await handle.stat();
    if (size !== version.sizeBytes) throw new StoreFault('damaged', `${size} bytes are stored, ${version.sizeBytes} were recorded`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readChunk(handle: FileHandle, position: number, sizeBytes: number, into: Uint8Array | undefined): Promise<Uint8Array> {
  const wanted = Math.min(into === undefined ? readChunkBytes : readIntoBytes, sizeBytes - position);
  if (wanted === 0) return Buffer.alloc(0);
  const place = into === undefined ? Buffer.allocUnsafe(wanted) : into.subarray(position, position + wanted);
  const { bytesRead } = await handle.read(place, 0, wanted, position);
  if (bytesRead === 0) throw new StoreFault('damaged', `only ${position} bytes are stored, ${sizeBytes} were recorded`);
  return place.subarray(0, bytesRead);
}

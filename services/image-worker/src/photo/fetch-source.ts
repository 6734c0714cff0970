import { createHash } from 'node:crypto';
import { readingFault, type ObjectStore, type ReadingFault } from '@leasehold/object-store';
import type { SourceVersion } from '@leasehold/worker-runtime';
import { PhotoFault, type Reason } from '../reasons.js';

export interface FetchOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Gives exactly so many bytes of memory. */
  readonly memory: (sizeBytes: number) => Buffer;
}

/**
 * The bytes of exactly the version that was confirmed, in memory. Never reads more than was confirmed, nor anything when that is above the limit.
 * Throws PhotoFault: BYTE_LIMIT, SOURCE_MISMATCH, STORE_UNAVAILABLE, INTERNAL; the signal's reason.
 */
export async function fetchSource(store: ObjectStore, source: SourceVersion, o: FetchOptions): Promise<Buffer> {
  if (source.sizeBytes > o.maxBytes) throw new PhotoFault('BYTE_LIMIT', `${source.sizeBytes} bytes were confirmed, at most ${o.maxBytes} are read`);
  return read(store, source, o).catch(async (error: unknown) => {
    throw await seenFromHere(error, store, o.signal);
  });
}

async function read(store: ObjectStore, { key, versionId, sizeBytes, sha256 }: SourceVersion, { signal, memory }: FetchOptions): Promise<Buffer> {
  const bytes = memory(sizeBytes);
  const { version, body } = await store.get(key, versionId, { maxBytes: sizeBytes, signal, into: bytes });
  let filled = 0;
  for await (const chunk of body) {
    if (filled + chunk.byteLength > sizeBytes) throw mismatch('more bytes than confirmed');
    if (chunk.buffer !== bytes.buffer) bytes.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled < sizeBytes) throw mismatch('fewer bytes than confirmed');
  // A store that has recorded the digest has proved the body against it: megabytes are not hashed twice.
  if (sha256 !== undefined && !(version.sha256 ?? digestOf(bytes)).equals(sha256)) throw mismatch('another SHA-256 than confirmed');
  return bytes;
}

const digestOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const mismatch = (message: string, cause?: unknown): PhotoFault => new PhotoFault('SOURCE_MISMATCH', message, { cause });

const reasonOf: Readonly<Record<ReadingFault, Reason>> = { mismatch: 'SOURCE_MISMATCH', store: 'STORE_UNAVAILABLE', caller: 'INTERNAL' };

async function seenFromHere(error: unknown, store: ObjectStore, signal: AbortSignal): Promise<unknown> {
  const fault = await readingFault(error, store, signal);
  if (fault === undefined) return error;
  return new PhotoFault(reasonOf[fault], error instanceof Error ? error.message : fault, { cause: error });
}

import type { StoredVersion } from '@leasehold/object-store';
import { chunksOf, storeBytes } from '../bytes-in.js';
import { fileNotPending, invalid, uploadTooLarge } from '../faults.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { fileName, uploadKey } from './resource-name.js';

/** One part of an upload as it arrives. */
export type UploadPart = { readonly name: string } | { readonly chunk: Uint8Array };

/** Stores one more version; confirms nothing. First the name, then chunks. Memory is bounded by the chunks. */
export async function uploadFile(parts: FileParts, incoming: AsyncIterable<UploadPart>, signal: AbortSignal): Promise<StoredVersion> {
  const iterator = incoming[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true || !('name' in first.value)) throw invalid('name', 'the first message must hold it');
  const { name } = first.value;
  const card = await cardNamed(parts.records, name);
  if (card.state !== 'pending') throw fileNotPending(name, card.state.toUpperCase());
  const { maxUploadBytes: maxBytes, uploadTimeoutMs: timeoutMs } = parts.limits;
  const target = { store: parts.store, key: uploadKey(card), contentType: 'application/octet-stream', maxBytes, timeoutMs, tooLarge: () => uploadTooLarge(maxBytes) };
  const stored = await storeBytes(target, chunksOf(iterator, 'name'), signal);
  // Confirmed, expired or deleted meanwhile: the version can never count, and the sweep finds it.
  const after = await cardNamed(parts.records, name);
  if (after.state !== 'pending') throw fileNotPending(name, after.state.toUpperCase());
  parts.logger.info({ event: 'file_uploaded', file: fileName(card), size_bytes: stored.sizeBytes }, 'a version is stored');
  return stored;
}

import { StoreFault, type StoredVersion } from '@leasehold/object-store';
import { fileNotPending, invalid, uploadTooLarge, uploadTooSlow } from '../faults.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { fileName, uploadKey } from './resource-name.js';

/** One part of an upload as it arrives. */
export type UploadPart = { readonly name: string } | { readonly chunk: Uint8Array };

const maxChunkBytes = 1024 * 1024;

/** Stores one more version; confirms nothing. First the name, then chunks. Memory is bounded by the chunks. */
export async function uploadFile(parts: FileParts, incoming: AsyncIterable<UploadPart>, signal: AbortSignal): Promise<StoredVersion> {
  const iterator = incoming[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true || !('name' in first.value)) throw invalid('name', 'the first message must hold it');
  const { name } = first.value;
  const card = await cardNamed(parts.records, name);
  if (card.state !== 'pending') throw fileNotPending(name, card.state.toUpperCase());
  const { maxUploadBytes: maxBytes, uploadTimeoutMs } = parts.limits;
  const late = AbortSignal.timeout(uploadTimeoutMs);
  try {
    const stored = await parts.store.put(uploadKey(card), chunksOf(iterator), { contentType: 'application/octet-stream', maxBytes, signal: AbortSignal.any([signal, late]) });
    // Confirmed, expired or deleted meanwhile: the version can never count, and the sweep finds it.
    const after = await cardNamed(parts.records, name);
    if (after.state !== 'pending') throw fileNotPending(name, after.state.toUpperCase());
    parts.logger.info({ event: 'file_uploaded', file: fileName(card), size_bytes: stored.sizeBytes }, 'a version is stored');
    return stored;
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'too_large') throw uploadTooLarge(maxBytes);
    if (late.aborted && !signal.aborted) throw uploadTooSlow();
    throw error;
  }
}

async function* chunksOf(parts: AsyncIterator<UploadPart>): AsyncGenerator<Uint8Array> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    if (!('chunk' in next.value)) throw invalid('name', 'only the first message may hold it');
    if (next.value.chunk.length > maxChunkBytes) throw invalid('chunk', `has at most ${maxChunkBytes} bytes`);
    yield next.value.chunk;
  }
}

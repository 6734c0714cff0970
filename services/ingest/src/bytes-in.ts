import { StoreFault, type ObjectStore, type StoredVersion } from '@leasehold/object-store';
import { invalid, uploadTooSlow, type Fault } from './faults.js';

const maxChunkBytes = 1024 * 1024;

export interface BytesIn {
  readonly store: ObjectStore;
  readonly key: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** What takes longer is cut off: the sweep counts on it. */
  readonly timeoutMs: number;
  readonly tooLarge: () => Fault;
}

/**
 * Stores what a caller sends as one more version, in memory bounded by its chunks.
 * @throws tooLarge, as soon as more bytes came than may; DEADLINE_EXCEEDED.
 */
export async function storeBytes(o: BytesIn, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredVersion> {
  const late = AbortSignal.timeout(o.timeoutMs);
  try {
    return await o.store.put(o.key, body, { contentType: o.contentType, maxBytes: o.maxBytes, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'too_large') throw o.tooLarge();
    if (late.aborted && !signal.aborted) throw uploadTooSlow();
    throw error;
  }
}

/** The chunks of a stream whose first message was taken. @throws INVALID_ARGUMENT for a second one of its kind, or a chunk that is too large. */
export async function* chunksOf<P extends object>(parts: AsyncIterator<P | { readonly chunk: Uint8Array }>, first: string): AsyncGenerator<Uint8Array> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    if (!('chunk' in next.value) || !(next.value.chunk instanceof Uint8Array)) throw invalid(first, 'only the first message may hold it');
    if (next.value.chunk.length > maxChunkBytes) throw invalid('chunk', `has at most ${maxChunkBytes} bytes`);
    yield next.value.chunk;
  }
}

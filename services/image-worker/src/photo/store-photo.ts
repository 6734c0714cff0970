import { createHash } from 'node:crypto';
import { StoreFault, type ObjectStore, type StoredVersion } from '@leasehold/object-store';
import { PhotoFault } from '../reasons.js';

export interface StoringOptions {
  readonly contentType: string;
  readonly signal: AbortSignal;
}

/**
 * Stores a picture as a new version under the run's own key. Whatever goes wrong, nothing is deleted: bytes that no outcome names are swept by
 * the service that owns the files.
 * Throws PhotoFault STORE_UNAVAILABLE, INTERNAL; the signal's reason.
 */
export async function storePhoto(store: ObjectStore, key: string, bytes: Buffer, { contentType, signal }: StoringOptions): Promise<StoredVersion> {
  const sha256 = createHash('sha256').update(bytes).digest();
  const stored = await store.put(key, once(bytes), { contentType, maxBytes: bytes.length, signal }).catch((error: unknown) => {
    if (!(error instanceof StoreFault)) throw error;
    throw new PhotoFault(error.kind === 'invalid' ? 'INTERNAL' : 'STORE_UNAVAILABLE', error.message, { cause: error });
  });
  if (!stored.sha256.equals(sha256)) throw new PhotoFault('STORE_UNAVAILABLE', 'the store took other bytes than were sent');
  return stored;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

import { readFileSync } from 'node:fs';

/**
 * Reads a descriptor image, for example `readImage(import.meta.resolve('@leasehold/queue-v1/image.binpb'))`.
 * @param url a file URL, as object or text, or a path.
 */
export function readImage(url: URL | string): Uint8Array {
  return readFileSync(typeof url === 'string' && url.startsWith('file:') ? new URL(url) : url);
}

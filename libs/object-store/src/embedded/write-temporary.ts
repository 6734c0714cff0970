import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { abortable } from '../abortable.js';
import { StoreFault } from '../store-fault.js';
import { FromCaller } from './os-fault.js';

/**
 * Writes the body to a new file and syncs it, chunk by chunk: the next is asked for when the last is written. What the body throws, an
 * abort and `too_large` come out as FromCaller. The file is the caller's to remove.
 */
export async function writeTemporary(
  path: string,
  body: AsyncIterable<Uint8Array>,
  o: { maxBytes?: number | undefined; signal?: AbortSignal | undefined },
): Promise<{ sizeBytes: number; sha256: Buffer }> {
  const digest = createHash('sha256');
  const maxBytes = o.maxBytes ?? Number.MAX_SAFE_INTEGER;
  let sizeBytes = 0;

  async function* measured(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of abortable(body, o.signal)) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > maxBytes) throw new StoreFault('too_large', `more than ${maxBytes} bytes`);
        digest.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw new FromCaller(error);
    }
  }

  const handle = await open(path, 'wx', 0o600);
  try {
    await writeFile(handle, measured());
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: digest.digest() };
}

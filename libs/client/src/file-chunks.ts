import { open } from 'node:fs/promises';
import { largestChunkBytes } from './chunk-message.js';

/** A file's bytes from its start. Each chunk holds until the next is asked for: all are read into the same memory. */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const memory = Buffer.allocUnsafeSlow(largestChunkBytes);
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, memory.length);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

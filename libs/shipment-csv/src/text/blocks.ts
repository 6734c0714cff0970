/** A stretch of the file. `end` is set on the last one: the file ended, or has more bytes than it may. */
export interface Block {
  /** Valid until the next block is asked for. */
  readonly bytes: Buffer;
  readonly end: 'file' | 'limit' | undefined;
}

/**
 * Cuts the body into blocks of exactly `blockBytes` (but for the last), so that nothing downstream can depend on how the bytes arrived: not on tiny
 * chunks, and not on one that holds the whole file. Reads on only when the next block is asked for.
 */
export async function* blocks(body: AsyncIterable<Uint8Array>, blockBytes: number, maxBytes: number, signal: AbortSignal | undefined): AsyncGenerator<Block> {
  const block = Buffer.allocUnsafeSlow(blockBytes);
  let filled = 0;
  let left = maxBytes;
  for await (const chunk of body) {
    let taken = 0;
    while (taken < chunk.length) {
      signal?.throwIfAborted();
      if (left === 0) {
        yield { bytes: block.subarray(0, filled), end: 'limit' };
        return;
      }
      const size = Math.min(chunk.length - taken, blockBytes - filled, left);
      block.set(chunk.subarray(taken, taken + size), filled);
      taken += size;
      filled += size;
      left -= size;
      if (filled < blockBytes) continue;
      yield { bytes: block, end: undefined };
      filled = 0;
    }
  }
  signal?.throwIfAborted();
  yield { bytes: block.subarray(0, filled), end: 'file' };
}

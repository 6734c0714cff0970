import { Encoded } from '@leasehold/rpc';

/** Of the bytes in one message. Ingest takes up to 1 MiB. */
export const largestChunkBytes = 256 * 1024;

// UploadFileRequest.chunk and SubmitImportRequest.chunk are field 2, with a length before it.
const tag = (2 << 3) | 2;
// The tag, and a length of 18 bits, 7 in a byte.
const headBytes = 1 + 3;

/**
 * Messages of an upload or a submission that hold one chunk each, in memory that every message uses again. The generated encoder takes five times the bytes of a chunk in fresh memory, which for photos
 * of megabytes was most of what an upload cost its caller.
 */
export class ChunkMessages {
  readonly #memory = Buffer.allocUnsafeSlow(headBytes + largestChunkBytes);

  /** One message or, for a large chunk, several; each holds until the next is asked for. */
  *of(chunk: Uint8Array): Generator<Encoded> {
    for (let at = 0; at < chunk.byteLength; at += largestChunkBytes) yield this.#message(chunk.subarray(at, at + largestChunkBytes));
  }

  #message(bytes: Uint8Array): Encoded {
    let end = 0;
    this.#memory[end++] = tag;
    let length = bytes.byteLength;
    for (; length > 0x7f; length >>>= 7) this.#memory[end++] = (length & 0x7f) | 0x80;
    this.#memory[end++] = length;
    this.#memory.set(bytes, end);
    return new Encoded(this.#memory.subarray(0, end + bytes.byteLength));
  }
}

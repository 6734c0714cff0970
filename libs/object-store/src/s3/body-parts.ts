import { createHash } from 'node:crypto';
import { abortable } from '../abortable.js';
import { StoreFault } from '../store-fault.js';

export interface BodyPart {
  readonly bytes: Buffer;
  /** The body ended with this one. */
  readonly last: boolean;
}

const firstBytes = 64 * 1024;

/**
 * Cuts a body into parts of one size; the last is what remains, and is empty only when the whole body is. Counts and hashes what passes, and throws `too_large`
 * as soon as there is more than allowed. Holds the part that fills, and one chunk.
 */
export class BodyParts {
  readonly #chunks: AsyncGenerator<Uint8Array, void, void>;
  readonly #partBytes: number;
  readonly #maxBytes: number;
  readonly #digest = createHash('sha256');
  #rest: Uint8Array = Buffer.alloc(0);
  #sha256: Buffer | undefined;
  sizeBytes = 0;

  constructor(body: AsyncIterable<Uint8Array>, o: { readonly partBytes: number; readonly maxBytes?: number | undefined; readonly signal?: AbortSignal | undefined }) {
    this.#chunks = abortable(body, o.signal);
    this.#partBytes = o.partBytes;
    this.#maxBytes = o.maxBytes ?? Number.MAX_SAFE_INTEGER;
  }

  async next(): Promise<BodyPart> {
    let part = Buffer.allocUnsafe(Math.min(firstBytes, this.#partBytes));
    let filled = 0;
    for (;;) {
      // A full part is given out once there is more, as only then it is known not to be the last.
      if (this.#rest.byteLength === 0) {
        const chunk = await this.#read();
        if (chunk === undefined) return { bytes: part.subarray(0, filled), last: true };
        this.#rest = chunk;
        continue;
      }
      if (filled === this.#partBytes) return { bytes: part, last: false };
      const taken = this.#rest.subarray(0, this.#partBytes - filled);
      // Copied, as whoever gave the chunk may use its memory again; grown, as most bodies are far smaller than a part.
      if (filled + taken.byteLength > part.length) {
        const larger = Buffer.allocUnsafe(Math.min(this.#partBytes, Math.max(2 * part.length, filled + taken.byteLength)));
        part.copy(larger, 0, 0, filled);
        part = larger;
      }
      part.set(taken, filled);
      filled += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
    }
  }

  /** Of everything that was read; call it after the last part. */
  sha256(): Buffer {
    this.#sha256 ??= this.#digest.digest();
    return this.#sha256;
  }

  /** Closes the body in the background, unless it was read to its end. */
  close(): void {
    this.#chunks.return().catch(() => undefined);
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return undefined;
    this.sizeBytes += value.byteLength;
    if (this.sizeBytes > this.#maxBytes) throw new StoreFault('too_large', `more than ${this.#maxBytes} bytes`);
    this.#digest.update(value);
    return value;
  }
}

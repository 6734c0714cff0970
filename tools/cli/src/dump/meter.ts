import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** Passes bytes on, counts and digests them. */
export class Meter extends Transform {
  bytes = 0;
  readonly #hash = createHash('sha256');
  #sha256: string | undefined;
  readonly #onBytes: ((total: number) => void) | undefined;

  constructor(onBytes?: (total: number) => void) {
    super();
    this.#onBytes = onBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    this.#onBytes?.(this.bytes);
    done(null, chunk);
  }

  /** Of what has passed; to be asked for when all has. */
  sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }
}

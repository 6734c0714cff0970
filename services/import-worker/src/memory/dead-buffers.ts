import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees the buffers that a file leaves behind on its way through the worker. V8 lets 32 MiB of dead ones gather before it looks, and the allocator keeps
 * what it had to hold at once: a third more memory for a large file than for a small one, measured at 5 M rows. A collection of the young generation each few MiB costs a millisecond, and
 * keeps memory where it is. Reusing the buffers instead would need to know when the socket has done with each, which neither pg nor its COPY stream tells.
 */
export class DeadBuffers {
  readonly #everyBytes: number;
  readonly #collect = youngCollection();
  #passed = 0;

  /** @param everyBytes how many bytes may pass between two collections */
  constructor(everyBytes: number) {
    this.#everyBytes = everyBytes;
  }

  /** So many bytes went by, in buffers that nobody holds any more, or soon. */
  passed(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < this.#everyBytes) return;
    this.#passed = 0;
    this.#collect();
  }
}

/** V8 gives its collector only to contexts that are made after it was told so. One that does not know the option goes on by itself. */
function youngCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? () => { collect({ type: 'minor' }); } : () => undefined;
}

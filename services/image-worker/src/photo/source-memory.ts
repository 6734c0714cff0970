const SMALLEST_BYTES = 1024 * 1024;
/** Photos are smaller. Larger files are rare, and their memory is better given back than kept. */
const LARGEST_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Memory for sources, used again and again. Fresh megabytes for every photo make V8 collect all of its heap for every photo, which took more of the worker's time
 * than everything else that it does.
 */
export class SourceMemory {
  readonly #most: number;
  readonly #kept: Buffer[] = [];
  readonly #lent = new WeakMap<Buffer, Buffer>();

  /** @param most how many pieces are kept while nobody has them; up to 16 MiB each */
  constructor({ most }: { readonly most: number }) {
    this.#most = most;
  }

  /** Exactly so many bytes; what is in them is of an earlier source. */
  take(sizeBytes: number): Buffer {
    const at = this.#kept.findIndex((piece) => piece.length >= sizeBytes);
    const [piece = Buffer.allocUnsafeSlow(roomFor(sizeBytes))] = at < 0 ? [] : this.#kept.splice(at, 1);
    const part = piece.subarray(0, sizeBytes);
    this.#lent.set(part, piece);
    return part;
  }

  /** The very buffer that take() gave, once nobody reads it or writes into it any more. Given back twice, or of another's making, it is left alone. */
  giveBack(part: Buffer): void {
    const piece = this.#lent.get(part);
    this.#lent.delete(part);
    if (piece === undefined || piece.length > LARGEST_KEPT_BYTES) return;
    this.#kept.push(piece);
    // The smallest goes: one that fits nothing must not stay for ever.
    if (this.#kept.length > this.#most) this.#kept.sort((a, b) => b.length - a.length).pop();
  }
}

// Powers of two, so that photos of about the same size fit into each other's place.
const roomFor = (sizeBytes: number): number => (sizeBytes > LARGEST_KEPT_BYTES ? sizeBytes : Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(sizeBytes))));

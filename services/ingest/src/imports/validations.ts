import pLimit from 'p-limit';

/** Looks at files without importing them, so many at once and no more: the others wait, with their bytes where they are. */
export class Validations {
  /** A file with more different SKUs is not looked at, in order to bound memory. */
  readonly maxSkus: number;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(o: { atOnce: number; maxSkus: number }) {
    this.maxSkus = o.maxSkus;
    this.#limit = pLimit(o.atOnce);
  }

  /** @throws the signal's reason when the caller has gone before its turn came. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#limit(async () => {
      signal.throwIfAborted();
      return work();
    });
  }
}

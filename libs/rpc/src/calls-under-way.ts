/** Counts the calls whose handlers run, bounds them, and says when the last one ended. */
export class CallsUnderWay {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False when there are too many already; then `leave` must not be called. */
  enter(): boolean {
    if (this.#count >= this.#max) return false;
    this.#count += 1;
    return true;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves at the first moment without calls. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.add(resolve));
  }
}

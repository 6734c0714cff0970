import { isDataError } from '@leasehold/postgres';

export interface BatcherOptions<Q, R> {
  /** Runs one statement for all of `requests`; answers one result per request, in order. */
  readonly run: (requests: readonly Q[]) => Promise<readonly R[]>;
  /** What a request counts for against maxSize; default 1. */
  readonly sizeOf?: (request: Q) => number;
  /** Largest batch; default 512, beyond which a statement gets no cheaper per row (measured). */
  readonly maxSize?: number;
  /** Statements under way at once; default 2, which keeps the database busy while one answer travels. */
  readonly maxInFlight?: number;
}

interface Waiting<Q, R> {
  readonly request: Q;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts calls that arrive together into one statement. It never waits for company: while fewer than maxInFlight statements are
 * under way a call goes out at the end of the current turn of the event loop, and what arrives meanwhile makes up the next batch.
 *
 * When the values of one request break the statement (SQLSTATE class 22 or 23) the batch is split until the bad one stands alone,
 * so that it fails by itself and not its companions.
 */
export class Batcher<Q, R> {
  readonly #options: BatcherOptions<Q, R>;
  readonly #maxSize: number;
  readonly #maxInFlight: number;
  #queue: Waiting<Q, R>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<Q, R>) {
    this.#options = options;
    this.#maxSize = options.maxSize ?? 512;
    this.#maxInFlight = options.maxInFlight ?? 2;
  }

  submit(request: Q): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#maxInFlight) {
      const batch = this.#take();
      this.#inFlight++;
      void this.#run(batch).finally(() => {
        this.#inFlight--;
        if (this.#queue.length > 0) this.#schedule();
      });
    }
  }

  #take(): Waiting<Q, R>[] {
    const sizeOf = this.#options.sizeOf ?? (() => 1);
    let size = 0;
    let count = 0;
    for (const { request } of this.#queue) {
      size += sizeOf(request);
      if (count > 0 && size > this.#maxSize) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #run(batch: readonly Waiting<Q, R>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map((w) => w.request));
      for (const [index, waiting] of batch.entries()) {
        const result = results[index];
        if (result === undefined) waiting.reject(new Error(`a batch of ${batch.length} was answered with ${results.length} results`));
        else waiting.resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && isDataError(error)) {
        const middle = Math.ceil(batch.length / 2);
        await this.#run(batch.slice(0, middle));
        await this.#run(batch.slice(middle));
      } else {
        for (const waiting of batch) waiting.reject(error);
      }
    }
  }
}

/** One acquire call, kept until it was answered: a repeat must ask for what the first one asked for. */
export interface OpenRequest {
  readonly seq: bigint;
  readonly maxLeases: number;
}

/**
 * Numbers the acquire calls of one registration (lease.v1, request_seq and answered_seq): from 1, by one at a time, a single one open
 * at a time. A call whose answer was lost stays open and is repeated under its number, so that leases granted under it are answered
 * again instead of spending an attempt.
 */
export class AcquireSequence {
  #last = 0n;
  #open: OpenRequest | undefined;

  /** The call to send: the open one if there is one, else a new one for `maxLeases`. */
  next(maxLeases: number): OpenRequest {
    this.#open ??= { seq: (this.#last += 1n), maxLeases };
    return this.#open;
  }

  get open(): OpenRequest | undefined {
    return this.#open;
  }

  /** The open call was answered, or is given up for good: what was granted under it and is not held goes back to the queue. */
  close(): void {
    this.#open = undefined;
  }

  /** Every call up to this number was answered or given up. */
  get answeredSeq(): bigint {
    return this.#open === undefined ? this.#last : this.#last - 1n;
  }
}

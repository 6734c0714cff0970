/** A result that this version of ingest cannot read. Another version may, so it is never acknowledged. */
export class UnreadableResult extends Error {
  override readonly name = 'UnreadableResult';
}

/** The versions of one kind's contract that this build writes and reads, the preferred one first. */
export class Contracts<C extends { readonly version: number }> {
  readonly #all: readonly [C, ...C[]];

  constructor(all: readonly [C, ...C[]]) {
    this.#all = all;
  }

  get versions(): number[] {
    return this.#all.map((contract) => contract.version);
  }

  /** What a new job is written in. */
  get preferred(): C {
    return this.#all[0];
  }

  of(version: number): C | undefined {
    return this.#all.find((contract) => contract.version === version);
  }

  /** What to try after `closed` was found closed: the next one in order, round and round; undefined when there is no other. */
  after(closed: number): C | undefined {
    const others = this.#all.filter((contract) => contract.version !== closed);
    const at = this.#all.findIndex((contract) => contract.version === closed);
    return this.#all.slice(at + 1)[0] ?? others[0];
  }
}

/** A result that this version of ingest cannot read. Another version may, so it is never acknowledged. */
export class UnreadableResult extends Error {
  override readonly name = 'UnreadableResult';
}

/** The versions of one kind's contract that this build writes and reads; first the one that is written while no coordinator says otherwise. */
export class Contracts<C extends { readonly version: number }> {
  readonly #all: readonly [C, ...C[]];

  constructor(all: readonly [C, ...C[]]) {
    this.#all = all;
  }

  get all(): readonly C[] {
    return this.#all;
  }

  get versions(): number[] {
    return this.#all.map((contract) => contract.version);
  }

  /** What a new job is written in while no coordinator says otherwise. */
  get preferred(): C {
    return this.#all[0];
  }

  of(version: number): C | undefined {
    return this.#all.find((contract) => contract.version === version);
  }

  /** Only those versions, as an operator restricts them. @throws RangeError for one that is not among these, and for none. */
  only(versions: readonly number[]): Contracts<C> {
    const unknown = versions.filter((version) => this.of(version) === undefined);
    if (unknown.length > 0) throw new RangeError(`version ${unknown.join(', ')} is not among ${this.versions.join(', ')}`);
    const [first, ...others] = this.#all.filter(({ version }) => versions.includes(version));
    if (first === undefined) throw new RangeError('at least one version is needed');
    return new Contracts([first, ...others]);
  }

  /** What to try after `closed` was found closed: the next one in order, round and round; undefined when there is no other. */
  after(closed: number): C | undefined {
    const others = this.#all.filter((contract) => contract.version !== closed);
    const at = this.#all.findIndex((contract) => contract.version === closed);
    return this.#all.slice(at + 1)[0] ?? others[0];
  }
}

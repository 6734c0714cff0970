/** Holds whoever passes until a test opens it. */
export class Gate {
  readonly #opened: Promise<void>;
  #open: () => void = () => undefined;

  constructor() {
    this.#opened = new Promise((resolve) => { this.#open = resolve; });
  }

  pass(): Promise<void> {
    return this.#opened;
  }

  open(): void {
    this.#open();
  }
}

/** A stream to its end. */
export async function collected<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

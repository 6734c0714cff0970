import { createHash } from 'node:crypto';

/** The channel of `records` on which instances tell each other that a resource has changed. Named when there were only files; instances of older builds listen on it too. */
export const channel = 'leasehold_files';

// A notification holds at most 8000 bytes, and many resources may change at once: short words. Two with one word only wake each
// other's watchers for nothing.
const wordOf = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 8);

/** Who waits for a change of which resource, in this process. A hint: whoever waits also polls. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #tell: (word: string) => void;

  /** @param tell reaches every instance, this one too. */
  constructor(tell: (word: string) => void) {
    this.#tell = tell;
  }

  /** After a commit that changed what the owner of the resource of that name sees. */
  announce(name: string): void {
    const word = wordOf(name);
    this.#wake(word);
    this.#tell(word);
  }

  /** What came over the channel: words, separated by commas. */
  heard(payload: string): void {
    for (const word of payload.split(',')) this.#wake(word);
  }

  /** After the channel was lost: anything may have changed. */
  wakeAll(): void {
    for (const word of this.#waiting.keys()) this.#wake(word);
  }

  /** Calls `onChange` at each change of the resource until the returned function is called. */
  subscribe(name: string, onChange: () => void): () => void {
    const word = wordOf(name);
    const waiters = this.#waiting.get(word) ?? new Set();
    this.#waiting.set(word, waiters);
    waiters.add(onChange);
    return () => {
      waiters.delete(onChange);
      if (waiters.size === 0 && this.#waiting.get(word) === waiters) this.#waiting.delete(word);
    };
  }

  #wake(word: string): void {
    for (const onChange of this.#waiting.get(word) ?? []) onChange();
  }
}

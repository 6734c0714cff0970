/** What happens to a call on its way. */
export type Fate =
  /**
   * The server does the work and answers; the connection breaks before the answer passes. Repeats do not reach this server until another one was
   * asked: what it does of its own memory would show nothing.
   */
  | 'reply lost'
  /** The call stands still on the way to the server until release(), even when its caller gives up meanwhile. */
  | 'held'
  /** The connection breaks before the call reaches the server. */
  | 'unsent';

interface Rule {
  readonly method: string;
  readonly fate: Fate;
  left: number;
}

/** What proxies are to do to which calls. Several share one, as a caller may come by any of them. */
export class Mischief {
  readonly #rules = new Set<Rule>();
  readonly #counts = new Map<string, number>();
  readonly #calls: { readonly method: string; readonly at: string; readonly fate: Fate | undefined }[] = [];
  readonly #avoided = new Map<string, string>();
  #held: (() => void)[] = [];

  /** The next calls of a method, `AckOutcomes` for example, meet this fate. */
  next(method: string, fate: Fate, times = 1): void {
    this.#rules.add({ method, fate, left: times });
  }

  /** How many calls of a method have met a fate; counted when they come. */
  count(method: string, fate: Fate): number {
    return this.#counts.get(`${method} ${fate}`) ?? 0;
  }

  /** Where the last reply of a method was lost, and where its first repeat passed, if one did. */
  lastLost(method: string): { readonly at: string | undefined; readonly repeatedAt: string | undefined } {
    const calls = this.#calls.filter((call) => call.method === method);
    const since = calls.slice(calls.findLastIndex(({ fate }) => fate === 'reply lost'));
    return { at: since[0]?.at, repeatedAt: since.find(({ fate }) => fate === undefined)?.at };
  }

  /** Forgets all rules, and lets the held calls go on. */
  end(): void {
    this.#rules.clear();
    this.#avoided.clear();
    for (const go of this.#held.splice(0)) go();
  }

  /** For proxies: what happens to a call that has just come to the server at this address. */
  fateOf(method: string, at: string): Fate | undefined {
    const fate = this.#avoided.get(method) === at ? 'unsent' : this.#nextOf(method);
    if (this.#avoided.get(method) !== at) this.#avoided.delete(method);
    if (fate === 'reply lost') this.#avoided.set(method, at);
    this.#calls.push({ method, at, fate });
    if (fate !== undefined) this.#counts.set(`${method} ${fate}`, this.count(method, fate) + 1);
    return fate;
  }

  #nextOf(method: string): Fate | undefined {
    for (const rule of this.#rules) {
      if (rule.method !== method) continue;
      rule.left -= 1;
      if (rule.left <= 0) this.#rules.delete(rule);
      return rule.fate;
    }
    return undefined;
  }

  /** For proxies: until end(). */
  released(): Promise<void> {
    return new Promise((resolve) => { this.#held.push(resolve); });
  }
}

import { StackFault } from '../stack-fault.js';

/** A JSON log line. `event` is in snake_case; the other fields are the event's own. */
export type LogEvent = Readonly<Record<string, unknown>>;

export interface WaitOptions {
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** Only events after the first n (see eventCount). */
  readonly after?: number;
}

interface Waiter {
  offer(event: LogEvent): void;
  refuse(why: string): void;
}

const keptEvents = 10_000;
const keptLines = 40;

/** What a process printed: its JSON lines as events, its last lines as text, and those who wait for one. */
export class EventLog {
  readonly #name: string;
  readonly #waiters = new Set<Waiter>();
  #events: LogEvent[] = [];
  #dropped = 0;
  #lines: string[] = [];
  #ended: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get count(): number {
    return this.#dropped + this.#events.length;
  }

  events(): readonly LogEvent[] {
    return [...this.#events];
  }

  tail(): string {
    return this.#lines.join('\n');
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
    const event = parse(line);
    if (event === undefined) return;
    this.#events.push(event);
    if (this.#events.length >= 2 * keptEvents) {
      this.#dropped += keptEvents;
      this.#events = this.#events.slice(keptEvents);
    }
    for (const waiter of this.#waiters) waiter.offer(event);
  }

  /** The process has ended and no line follows. */
  end(how: string): void {
    this.#ended = how;
    for (const waiter of this.#waiters) waiter.refuse(`ended with ${how}`);
  }

  wait(predicate: (event: LogEvent) => boolean, { timeoutMs = 10_000, after = 0 }: WaitOptions = {}): Promise<LogEvent> {
    const seen = this.#events.slice(Math.max(0, after - this.#dropped)).find((event) => predicate(event));
    if (seen !== undefined) return Promise.resolve(seen);
    if (this.#ended !== undefined) return Promise.reject(this.#fault(`ended with ${this.#ended}`));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        offer: (event) => {
          if (!predicate(event)) return;
          settle();
          resolve(event);
        },
        refuse: (why) => {
          settle();
          reject(this.#fault(why));
        },
      };
      const timer = setTimeout(() => waiter.refuse(`did not log the expected event within ${timeoutMs} ms`), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  #fault(why: string): StackFault {
    return new StackFault(`${this.#name} ${why}; its last lines:\n${this.tail()}`);
  }
}

function parse(line: string): LogEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // A program may print a brace that starts no JSON.
  }
}

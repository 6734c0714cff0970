import { sql, type Database } from '@leasehold/postgres';
import type { Clock } from '@leasehold/service';
import { namespaceFull } from '../faults.js';

const queuedSql = sql(import.meta.url, 'queued');

/** A count is used for so long; every card that this instance queues meanwhile is added to it. */
const countAgainMs = 1_000;
const manyNamespaces = 10_000;

interface Count {
  queued: number;
}

/**
 * Keeps one namespace from filling the queue for all others: at most so many of its cards are QUEUED at once. Other instances are seen
 * once a second, so that the limit may be passed by what they queue within one.
 */
export class InFlight {
  readonly #db: Database;
  readonly #max: number;
  readonly #clock: Clock;
  readonly #onRefused: () => void;
  readonly #counts = new Map<string, { readonly atMs: number; readonly count: Promise<Count> }>();

  constructor(db: Database, o: { max: number; clock: Clock; onRefused: () => void }) {
    this.#db = db;
    this.#max = o.max;
    this.#clock = o.clock;
    this.#onRefused = o.onRefused;
  }

  /** Before a card is queued. @throws RESOURCE_EXHAUSTED / NAMESPACE_FULL */
  async admit(namespace: string): Promise<void> {
    const count = await this.#count(namespace);
    if (count.queued >= this.#max) {
      this.#onRefused();
      throw namespaceFull(namespace, this.#max, countAgainMs);
    }
    count.queued += 1;
  }

  #count(namespace: string): Promise<Count> {
    const nowMs = this.#clock.now();
    const known = this.#counts.get(namespace);
    // Also while it is still being counted: whoever comes first counts for all.
    if (known !== undefined && nowMs - known.atMs < countAgainMs) return known.count;
    if (this.#counts.size >= manyNamespaces) this.#counts.clear();
    const counting = { atMs: nowMs, count: this.#ask(namespace) };
    this.#counts.set(namespace, counting);
    counting.count.catch(() => { if (this.#counts.get(namespace) === counting) this.#counts.delete(namespace); });
    return counting.count;
  }

  async #ask(namespace: string): Promise<Count> {
    const [row] = await this.#db.query<{ queued: number }>(queuedSql, [namespace, this.#max]);
    return { queued: row?.queued ?? 0 };
  }
}

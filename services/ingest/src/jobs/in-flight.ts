import type { Clock } from '@leasehold/service';
import { namespaceFull } from '../faults.js';
import type { OwedJobs } from './owed-jobs.js';

/** A count is used for so long; every job that this instance queues meanwhile is added to it. */
const countAgainMs = 1_000;
const manyNamespaces = 10_000;

interface Count {
  queued: number;
}

/**
 * Keeps one namespace from filling the queue for all others: at most so many of its jobs wait for their outcome at once. Other instances are seen
 * once a second, so that the limit may be passed by what they queue within one.
 */
export class InFlight {
  readonly #jobs: OwedJobs;
  readonly #what: string;
  readonly #max: number;
  readonly #clock: Clock;
  readonly #onRefused: () => void;
  readonly #counts = new Map<string, { readonly atMs: number; readonly count: Promise<Count> }>();

  /** @param o.what the plural that callers are told. */
  constructor(jobs: OwedJobs, o: { what: string; max: number; clock: Clock; onRefused: () => void }) {
    this.#jobs = jobs;
    this.#what = o.what;
    this.#max = o.max;
    this.#clock = o.clock;
    this.#onRefused = o.onRefused;
  }

  /** Before a job is queued. Call what it answers when it was not queued after all. @throws RESOURCE_EXHAUSTED / NAMESPACE_FULL */
  async admit(namespace: string): Promise<() => void> {
    const count = await this.#count(namespace);
    if (count.queued >= this.#max) {
      this.#onRefused();
      throw namespaceFull(namespace, this.#max, this.#what, countAgainMs);
    }
    count.queued += 1;
    return () => { count.queued -= 1; };
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
    return { queued: await this.#jobs.countQueued(namespace, this.#max) };
  }
}

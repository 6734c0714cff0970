import type { Clock, Logger } from '@leasehold/service';
import type { Coordinator, JobView } from './coordinator.js';

interface Waiter {
  readonly name: string;
  readonly answer: (view: JobView | undefined) => void;
}

const atMost = 500;

/**
 * How far jobs have come, for showing only. Questions that come within a few milliseconds are one call, however many watchers
 * there are. Never fails: when the coordinator is away, does not answer in time or does not know the job, there is nothing to show.
 */
export class JobViews {
  readonly #coordinator: Coordinator;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  readonly #lingerMs: number;
  #waiting: Waiter[] = [];

  constructor(coordinator: Coordinator, o: { clock: Clock; logger: Logger; timeoutMs: number; lingerMs: number }) {
    this.#coordinator = coordinator;
    this.#clock = o.clock;
    this.#logger = o.logger;
    this.#timeoutMs = o.timeoutMs;
    this.#lingerMs = o.lingerMs;
  }

  /** @param name `namespaces/{namespace}/kinds/{kind}/jobs/{job}` */
  view(name: string): Promise<JobView | undefined> {
    return new Promise((answer) => {
      this.#waiting.push({ name, answer });
      if (this.#waiting.length === 1) void this.#askSoon();
      else if (this.#waiting.length === atMost) void this.#ask();
    });
  }

  async #askSoon(): Promise<void> {
    await this.#clock.wait(this.#lingerMs);
    await this.#ask();
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    if (asked.length === 0) return;
    let views = new Map<string, JobView>();
    try {
      views = await this.#coordinator.views([...new Set(asked.map(({ name }) => name))], this.#timeoutMs);
    } catch (error) {
      this.#logger.debug({ event: 'job_views_missing', err: error, jobs: asked.length }, 'resources are shown without progress');
    }
    for (const { name, answer } of asked) answer(views.get(name));
  }
}

/** Equal for two views of a job that show the same. */
export const viewText = (view: JobView | undefined): string =>
  view === undefined ? '' : [view.leased, view.attempt, view.maxAttempts, view.percent, view.stage, view.items, view.bytes, view.bytesTotal].join(' ');

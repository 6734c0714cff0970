import { existsSync } from 'node:fs';
import type { Logger } from '@leasehold/service';

/**
 * Lets runs stand still at chosen points until they are released, to kill, freeze or outrun a worker there. A run that stands still does not look at
 * its signal: it stands for a worker that cannot.
 */
export class Failpoints<Point extends string> {
  readonly #points: ReadonlySet<Point>;
  readonly #logger: Logger;
  readonly #blockUntil: string | undefined;
  #stopsLeft: number;
  #waiting: (() => void)[] = [];

  /**
   * @param o.stops how many times runs are stopped, all in all; later ones pass
   * @param o.blockUntil a path: a run that is stopped blocks the whole process, heartbeats and all, until a file is there
   */
  constructor(o: { points: Iterable<Point>; stops: number; blockUntil?: string | undefined; logger: Logger }) {
    this.#points = new Set(o.points);
    this.#stopsLeft = o.stops;
    this.#blockUntil = o.blockUntil;
    this.#logger = o.logger;
  }

  /** Whether the run was stopped there. */
  async reach(point: Point, run: { readonly fence: bigint; readonly jobId: string }): Promise<boolean> {
    if (!this.#points.has(point) || this.#stopsLeft <= 0) return false;
    this.#stopsLeft -= 1;
    const fields = { point, fence: run.fence, job_id: run.jobId };
    if (this.#blockUntil === undefined) {
      const released = new Promise<void>((resolve) => { this.#waiting.push(resolve); });
      this.#logger.info({ event: 'failpoint_reached', ...fields }, 'stands still until SIGUSR2');
      await released;
    } else {
      this.#logger.info({ event: 'failpoint_reached', ...fields }, 'blocks the process until the file is there');
      blockUntilThere(this.#blockUntil);
    }
    this.#logger.info({ event: 'failpoint_passed', ...fields }, 'goes on');
    return true;
  }

  /** How many runs stand still. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Every run that stands still goes on. */
  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** As a computation that never yields does, without its cost. */
function blockUntilThere(path: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(path)) Atomics.wait(never, 0, 0, 20);
}

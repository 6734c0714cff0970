/** One run of jobs that the claim query reads in order: a contract version at one priority. */
interface Reading {
  /** Jobs before this due time were granted a while ago, as far as this coordinator saw. */
  floor: Date;
  readAllAtMs: number;
}

/** Priorities from first to last. */
export const priorities: readonly number[] = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

const beginning = new Date(0);

/**
 * Where the claim query starts to read. Granted jobs leave dead rows at the head of the index; after a million settlements without
 * a vacuum a claim walks over them for 23 ms, from a floor for 4 ms (measured). A floor may hide a job: one whose enqueueing committed late,
 * or that was locked or excluded when the floor passed it. So it lags behind by `slackMs`, and every `readAllEveryMs`, or whenever a claim came
 * back short, everything is read.
 */
export class Floors {
  readonly #readings = new Map<string, Reading>();
  readonly #now: () => number;
  readonly #slackMs: number;
  readonly #readAllEveryMs: number;

  constructor(now: () => number, options: { readonly slackMs: number; readonly readAllEveryMs: number } = { slackMs: 2_000, readAllEveryMs: 1_000 }) {
    this.#now = now;
    this.#slackMs = options.slackMs;
    this.#readAllEveryMs = options.readAllEveryMs;
  }

  /** The classes of a claim: every version at every priority, each with its floor. */
  classes(kind: string, versions: readonly number[]): { versions: number[]; priorities: number[]; floors: Date[] } {
    const classes = { versions: [] as number[], priorities: [] as number[], floors: [] as Date[] };
    for (const version of versions) {
      for (const priority of priorities) {
        classes.versions.push(version);
        classes.priorities.push(priority);
        classes.floors.push(this.#floor(`${kind}@${version} ${priority}`));
      }
    }
    return classes;
  }

  #floor(key: string): Date {
    const nowMs = this.#now();
    const reading = this.#readings.get(key);
    if (reading === undefined || nowMs - reading.readAllAtMs >= this.#readAllEveryMs) {
      this.#readings.set(key, { floor: reading?.floor ?? beginning, readAllAtMs: nowMs });
      return beginning;
    }
    return reading.floor;
  }

  /** What a claim granted. `short`: fewer jobs than slots, so that the next claim of these versions must look at everything. */
  granted(kind: string, versions: readonly number[], leases: readonly { contractVersion: number; priority: number; availableAt: Date }[], short: boolean): void {
    for (const { contractVersion, priority, availableAt } of leases) {
      const reading = this.#readings.get(`${kind}@${contractVersion} ${priority}`);
      if (reading !== undefined) reading.floor = new Date(Math.max(availableAt.getTime() - this.#slackMs, 0));
    }
    if (short) for (const version of versions) for (const priority of priorities) this.#readings.delete(`${kind}@${version} ${priority}`);
  }
}

import { programs, programsOf, releases, type Programs } from '../fleet/programs.js';

/** A process of the matrix: which release, and which versions of image's contract it is told to know. Undefined: all that it can. */
export interface Part {
  readonly programs: Programs;
  readonly versions: readonly number[];
  readonly restricted: boolean;
}

export interface Cell {
  readonly name: string;
  readonly coordinator: Programs;
  readonly ingests: readonly Part[];
  readonly workers: readonly Part[];
  /** Of new jobs, in percent, for version 2. */
  readonly share: number;
  /** Whether it is one of those that every test run looks at: each value of each axis occurs in one at least. */
  readonly spanning: boolean;
}

const [old = ''] = releases;
const now = (...versions: number[]): Part => ({ programs, versions, restricted: versions.length === 1 });
const before: Part = { programs: programsOf(old), versions: [1], restricted: false };

const coordinators: Readonly<Record<string, Programs>> = { now: programs, [old]: programsOf(old) };
const producers: Readonly<Record<string, { readonly ingests: readonly Part[]; readonly share: number }>> = {
  [`${old}`]: { ingests: [before], share: 0 },
  'version 1': { ingests: [now(1)], share: 0 },
  'version 2': { ingests: [now(2)], share: 100 },
  ramping: { ingests: [now(1, 2)], share: 50 },
  [`${old} beside ramping`]: { ingests: [before, now(1, 2)], share: 50 },
};
const workers: Readonly<Record<string, readonly Part[]>> = {
  [`${old}`]: [before],
  '{1}': [now(1)],
  '{2}': [now(2)],
  '{1, 2}': [now(1, 2)],
  [`${old} beside {1, 2}`]: [before, now(1, 2)],
  '{1} beside {2}': [now(1), now(2)],
};

const spanning = new Set([
  `coordinator now, producers ${old} beside ramping, workers ${old} beside {1, 2}`,
  `coordinator ${old}, producers ramping, workers {1} beside {2}`,
  `coordinator ${old}, producers ${old}, workers {1, 2}`,
  `coordinator now, producers version 2, workers {2}`,
  `coordinator now, producers version 1, workers ${old}`,
  `coordinator now, producers ramping, workers {1}`,
]);

/** Every coordinator with all producers and all workers. */
export const cells: readonly Cell[] = Object.entries(coordinators).flatMap(([coordinatorName, coordinator]) =>
  Object.entries(producers).flatMap(([producerName, { ingests, share }]) =>
    Object.entries(workers).map(([workerName, parts]): Cell => {
      const name = `coordinator ${coordinatorName}, producers ${producerName}, workers ${workerName}`;
      return { name, coordinator, ingests, workers: parts, share, spanning: spanning.has(name) };
    })));

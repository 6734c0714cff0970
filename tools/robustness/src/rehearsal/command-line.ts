import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** The command line as release engineers run it. A program beside this one, which nothing imports. */
const leasehold = fileURLToPath(new URL('../../../cli/bin/leasehold.mjs', import.meta.url));

export interface Answer {
  readonly code: number;
  /** What it printed, on both streams. */
  readonly text: string;
}

/** Runs commands of `npx leasehold` against a fleet, in a folder of files that they read. */
export class CommandLine {
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;

  constructor(o: { readonly coordinators: readonly string[]; readonly ingests: readonly string[]; readonly folder: string }) {
    this.#folder = o.folder;
    if (!existsSync(leasehold)) throw new Error(`${leasehold} is missing: the workspace is not whole`);
    this.#env = { LEASEHOLD_COORDINATORS: o.coordinators.join(','), LEASEHOLD_INGEST: o.ingests.join(','), NO_COLOR: '1' };
  }

  /** Any exit code is an answer. */
  async run(...args: readonly string[]): Promise<Answer> {
    const { exitCode, all } = await execa(process.execPath, [leasehold, ...args], { env: this.#env, cwd: this.#folder, reject: false, all: true, timeout: 180_000 });
    return { code: exitCode ?? -1, text: all };
  }
}

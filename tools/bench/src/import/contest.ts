import type { ImportStack } from './import-stack.js';
import type { RawCopy } from './raw-copy.js';

export interface Measured {
  /** Rows a second. */
  readonly rate: number;
  /** CPU seconds of PostgreSQL and of its client, where they can be told. */
  readonly postgresCpu: number | undefined;
  readonly clientCpu: number | undefined;
}

/** An import worker, with all that it checks and writes down. */
export const byWorker = (stack: ImportStack, path: string, rows: number): Promise<Measured> =>
  measured(stack, rows, () => stack.cpuSeconds().worker, () => stack.import(path));

/** The limit. */
export const byRawCopy = (stack: ImportStack, raw: RawCopy, path: string, rows: number): Promise<Measured> =>
  measured(stack, rows, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }, () => raw.run(path));

async function measured(stack: ImportStack, rows: number, client: () => number | undefined, run: () => Promise<number>): Promise<Measured> {
  const before = { postgres: stack.cpuSeconds().postgres, client: client() };
  const seconds = await run();
  return { rate: rows / seconds, postgresCpu: difference(before.postgres, stack.cpuSeconds().postgres), clientCpu: difference(before.client, client()) };
}

const difference = (before: number | undefined, after: number | undefined): number | undefined => (before === undefined || after === undefined ? undefined : after - before);

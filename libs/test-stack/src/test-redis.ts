import { randomBytes } from 'node:crypto';
import { StackFault } from './stack-fault.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that runs for this project, or why none does; set by `project({ redis: true })` unless LEASEHOLD_WITHOUT leaves it out. */
    leaseholdRedis?: { readonly url: string } | { readonly refusal: string };
  }
}

export interface TestRedis {
  readonly url: string;
  /** Random: keys that start with it are the test's own. */
  readonly prefix: string;
}

/** The project's Redis. Test files run at the same time on it: use only keys under the prefix, and no FLUSHALL; startRedis() starts another. */
export async function testRedis(): Promise<TestRedis> {
  const { inject } = await import('vitest'); // Not at the top: tools use this package outside tests.
  const access = inject('leaseholdRedis');
  if (access === undefined) throw new StackFault('no Redis runs for this project: its vitest.config.ts needs project({ redis: true }), and its tests describe.skipIf(leftOut(\'redis\'))');
  if ('refusal' in access) throw new StackFault(access.refusal);
  return { url: access.url, prefix: `test-${randomBytes(6).toString('hex')}` };
}

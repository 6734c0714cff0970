import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unless } from './os-fault.js';

/**
 * Removes temporary files that nobody has written to for `olderThanMs`: those of killed writers. Age is all that processes on one file
 * system can judge by, as a writer may live in another container; a writer that was silent for longer fails and publishes nothing.
 */
export async function sweepLeftovers(directory: string, o: { olderThanMs: number; now: () => number }): Promise<number> {
  let swept = 0;
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    const found = await unless(['ENOENT'], () => lstat(path));
    if (found?.isFile() !== true || o.now() - found.mtimeMs < o.olderThanMs) continue;
    await rm(path, { force: true });
    swept += 1;
  }
  return swept;
}

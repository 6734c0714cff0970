import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { StackFault } from '@leasehold/test-stack';
import { codeOf } from './folder.js';
import { isRunning, parseProcess, processNow, type ProcessMark } from './process-mark.js';

const askAgainMs = 10;

/**
 * Makes this process the only one that uses a data folder. A lock whose process is gone is taken over.
 * @returns gives the lock back
 * @throws StackFault when a living process has it
 */
export async function lockFolder({ root, lock }: { readonly root: string; readonly lock: string }): Promise<() => Promise<void>> {
  const own = `${lock}.${randomBytes(6).toString('hex')}`;
  // Linked, not written in place: a lock is never seen without its content.
  await writeFile(own, JSON.stringify(await processNow(process.pid)));
  try {
    while (!(await linked(own, lock))) {
      const holder = await livingHolder(lock);
      if (holder !== undefined) throw new StackFault(`a stack runs on ${root} already (process ${holder.pid}): end it with Ctrl-C, or start this one on another folder with --data`);
      await removeStale(own, lock);
    }
  } finally {
    await rm(own, { force: true });
  }
  return () => rm(lock, { force: true });
}

/**
 * Only under a lock of its own: of two that have seen the same dead lock, the slower one would remove what the quicker one has put there since.
 * Whoever dies just here leaves that one, too; it is removed without such care, as that takes two deaths within moments to go wrong.
 */
async function removeStale(own: string, lock: string): Promise<void> {
  const removing = `${lock}.removing`;
  if (!(await linked(own, removing))) {
    if ((await livingHolder(removing)) === undefined) await rm(removing, { force: true });
    await wait(askAgainMs);
    return;
  }
  try {
    if ((await livingHolder(lock)) === undefined) await rm(lock, { force: true });
  } finally {
    await rm(removing, { force: true });
  }
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function livingHolder(path: string): Promise<ProcessMark | undefined> {
  const holder = parseProcess(await readFile(path, 'utf8').catch(() => ''));
  return holder !== undefined && (await isRunning(holder)) ? holder : undefined;
}

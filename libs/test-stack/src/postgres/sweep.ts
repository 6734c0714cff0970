import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFileOf } from './leftover.js';
import { runningProcess } from './process-table.js';

/** Starts the name of every temporary data directory. */
export const temporaryPrefix = 'data-';

const staleAfterMs = 24 * 60 * 60 * 1000;

/** Removes what runs left behind that were killed together with their supervisor (out of memory, a container's end). */
export async function sweep(temporary: string, nowMs = Date.now()): Promise<void> {
  const names = (await readdir(temporary)).filter((name) => name.startsWith(temporaryPrefix) || name.includes('.making-'));
  for (const path of names.map((name) => join(temporary, name))) {
    const seen = await stat(path).catch(() => undefined);
    if (seen === undefined || nowMs - seen.mtimeMs < staleAfterMs) continue;
    const lock = await lockFileOf(path);
    if (lock === undefined || (await runningProcess(lock.pid)) === undefined) await rm(path, { recursive: true, force: true });
  }
}

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StackFault } from '../stack-fault.js';
import { runningProcess } from './process-table.js';

/** Stands in the command line of every supervisor, so that its server can be told from an abandoned one. */
export const supervisorMark = 'leasehold-postgres-supervisor';

/** postmaster.pid: process id in the first line, port in the fourth, state in the eighth (PostgreSQL's pidfile.h). */
export async function lockFileOf(dataDir: string): Promise<{ pid: number; port: string; state: string } | undefined> {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: lines[3] ?? '', state: lines[7]?.trim() ?? '' };
}

/**
 * Deals with what a killed run left in a data directory:
 * - a lock file whose process id now belongs to another program (usual after a container's restart, where PostgreSQL itself refuses): removed;
 * - a server that is just stopping because its parent died: waited for;
 * - a server without a supervisor: stopped;
 * - a server that somebody still runs: a StackFault that names it.
 */
export async function clearLeftover(dataDir: string): Promise<void> {
  const lock = await lockFileOf(dataDir);
  if (lock === undefined) return;
  const found = await runningProcess(lock.pid);
  if (found === undefined) return; // PostgreSQL sees this itself.
  if (!isServerOf(dataDir, found.command)) return rm(join(dataDir, 'postmaster.pid'), { force: true });
  const gone = async (): Promise<boolean> => (await runningProcess(lock.pid)) === undefined;
  const supervisor = await runningProcess(found.parent);
  if (supervisor?.command.includes(supervisorMark)) {
    const leaves = async (): Promise<boolean> => (await gone()) || (await lockFileOf(dataDir))?.state === 'stopping';
    if ((await within(1000, leaves)) && (await within(30_000, gone))) return;
    throw new StackFault(`the data directory ${dataDir} is in use by a running PostgreSQL (process ${lock.pid}, port ${lock.port}): stop that one first, or choose another folder`);
  }
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(lock.pid, signal);
    if (await within(10_000, gone)) return;
  }
  throw new StackFault(`a PostgreSQL left in ${dataDir} (process ${lock.pid}) does not stop: end it with kill -9 ${lock.pid}`);
}

const isServerOf = (dataDir: string, command: string): boolean => command.includes('postgres') && command.includes(dataDir);

/** Whether the condition came true in time; looks every 20 ms, as no process tells of another's end. */
export async function within(timeoutMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await delay(20);
  }
  return true;
}

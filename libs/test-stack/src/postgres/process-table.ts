import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A running process: its parent's id and its command line. */
export interface RunningProcess {
  readonly parent: number;
  readonly command: string;
}

/** Looks a process up, in /proc where there is one (slim images have no ps), else with ps. Undefined: no such process. */
export async function runningProcess(pid: number): Promise<RunningProcess | undefined> {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await execute('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)]);
      const [, parent, command] = /^\s*(\d+)\s+(.*)$/s.exec(stdout) ?? [];
      return parent === undefined || command === undefined ? undefined : { parent: Number(parent), command };
    }
    const [stat, command] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/cmdline`, 'utf8')]);
    // The name in parentheses may hold spaces and parentheses itself.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parent: Number(parent), command: command.replaceAll('\0', ' ') };
  } catch {
    return undefined;
  }
}

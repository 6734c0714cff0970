import { runningProcess } from '@leasehold/test-stack';

/** Names a process so that another one, which got its id later, is not taken for it. */
export interface ProcessMark {
  readonly pid: number;
  readonly command: string;
}

export async function processNow(pid: number): Promise<ProcessMark> {
  return { pid, command: (await runningProcess(pid))?.command ?? '' };
}

export async function isRunning({ pid, command }: ProcessMark): Promise<boolean> {
  return (await runningProcess(pid))?.command === command;
}

/** Undefined for what is no mark: a file that was cut off by a full disk must not stop the next start. */
export function parseProcess(text: string): ProcessMark | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('command' in value)) return undefined;
    const { pid, command } = value;
    return typeof pid === 'number' && typeof command === 'string' ? { pid, command } : undefined;
  } catch {
    return undefined;
  }
}

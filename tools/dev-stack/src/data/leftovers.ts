import { appendFile, readFile, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning, parseProcess, processNow, type ProcessMark } from './process-mark.js';

const everyMs = 50;

/** Writes a started process down, for the run after one that was killed. */
export async function remember(file: string, pid: number): Promise<void> {
  await appendFile(file, `${JSON.stringify(await processNow(pid))}\n`);
}

/**
 * Ends what a killed run left behind. Its services notice by themselves that their parent is gone; one that was stopped by SIGSTOP cannot.
 * @param graceMs how long they may take to end by themselves
 * @returns how many had to be killed
 */
export async function endLeftovers(file: string, { graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<number> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const marks = lines.flatMap((line) => parseProcess(line) ?? []);
  const left = await runningAfter(marks, graceMs);
  for (const { pid } of left) kill(pid);
  await runningAfter(left, 5_000);
  await rm(file, { force: true });
  return left.length;
}

/** Those that still run after the time; comes back as soon as there are none. */
async function runningAfter(marks: readonly ProcessMark[], timeoutMs: number): Promise<ProcessMark[]> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const running = await Promise.all(marks.map(isRunning));
    const left = marks.filter((_, index) => running[index]);
    if (left.length === 0 || performance.now() > end) return left;
    await wait(everyMs); // No process tells of another's end.
  }
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL'); // Each leads a process group of its own.
  } catch {
    // Gone just now.
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { StackFault } from '../stack-fault.js';
import { EventLog, type LogEvent, type WaitOptions } from './event-log.js';

export type { LogEvent, WaitOptions };

export interface ProcessOptions {
  /** What messages call it. */
  readonly name: string;
  /** Default: this process's own node. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Over this process's own environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Everything it prints is also appended here; missing folders are made. */
  readonly logFile?: string;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended and everything it printed was read; never rejects. */
  readonly exited: Promise<ProcessEnd>;
  /** The parsed JSON log lines, oldest first; of very long runs the last 10,000. */
  events(): readonly LogEvent[];
  /** Number of events so far: pass it as `after` to wait for later ones only. */
  eventCount(): number;
  /** The first event for which the predicate holds, also one from before this call. Rejects with the output's tail when the process ends or the time is over. */
  waitForEvent(predicate: (event: LogEvent) => boolean, o?: WaitOptions): Promise<LogEvent>;
  /** The last lines that it printed, for messages. */
  tail(): string;
  /** Sends a signal (SIGKILL, SIGSTOP, SIGCONT, ...) to its whole process group. False: it has ended already. */
  kill(signal: NodeJS.Signals): boolean;
  /** SIGTERM to the process, then SIGKILL to its group after `timeoutMs` (default 15,000). Also for a process that is stopped by SIGSTOP. Safe to call twice. */
  stop(o?: { readonly timeoutMs?: number }): Promise<ProcessEnd>;
}

const alive = new Set<ServiceProcess>();
process.on('exit', () => {
  // A process stopped by SIGSTOP cannot see its parent pipe end.
  for (const child of alive) child.kill('SIGKILL');
});

/**
 * Starts a program in a process group of its own. Its file descriptor 3 (named by LEASEHOLD_PARENT_FD) is a pipe that ends when this process does, so that
 * services stop with it, however it ended. Rejects with a StackFault when the program cannot be started.
 */
export async function startProcess(o: ProcessOptions): Promise<ServiceProcess> {
  const command = o.command ?? process.execPath;
  const child = spawn(command, o.args, {
    env: { ...process.env, ...o.env, LEASEHOLD_PARENT_FD: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    ...(o.cwd === undefined ? {} : { cwd: o.cwd }),
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new StackFault(`${o.name} cannot be started: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const { pid } = child;
  if (pid === undefined) throw new StackFault(`${o.name} was started without a process id`);
  return new Child(o, child, pid);
}

class Child implements ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  readonly #log: EventLog;
  #ended = false;

  constructor(o: ProcessOptions, child: ChildProcess, pid: number) {
    this.name = o.name;
    this.pid = pid;
    this.#log = new EventLog(o.name);
    child.stdio[3]?.on('error', () => undefined); // Reset when the child goes; its exit says so already.
    const file = logStream(o.logFile);
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#read(stream, file);
    alive.add(this);
    this.exited = this.#watch(child, file);
  }

  events(): readonly LogEvent[] {
    return this.#log.events();
  }

  eventCount(): number {
    return this.#log.count;
  }

  waitForEvent(predicate: (event: LogEvent) => boolean, o?: WaitOptions): Promise<LogEvent> {
    return this.#log.wait(predicate, o);
  }

  tail(): string {
    return this.#log.tail();
  }

  kill(signal: NodeJS.Signals): boolean {
    return !this.#ended && send(-this.pid, signal);
  }

  async stop({ timeoutMs = 15_000 }: { readonly timeoutMs?: number } = {}): Promise<ProcessEnd> {
    if (!this.#ended) {
      send(this.pid, 'SIGTERM');
      this.kill('SIGCONT');
    }
    const timer = setTimeout(() => this.kill('SIGKILL'), timeoutMs);
    const end = await this.exited;
    clearTimeout(timer);
    return end;
  }

  #read(stream: Readable, file: Writable | undefined): void {
    if (file !== undefined) stream.pipe(file, { end: false });
    createInterface({ input: stream }).on('line', (line) => this.#log.add(line));
  }

  async #watch(child: ChildProcess, file: Writable | undefined): Promise<ProcessEnd> {
    child.once('exit', () => send(-this.pid, 'SIGKILL')); // What it left in its group holds its output open, and would outlive it.
    await new Promise((resolve) => child.once('close', resolve));
    this.#ended = true;
    alive.delete(this);
    if (file !== undefined) await new Promise((resolve) => file.end(() => resolve(undefined)));
    const end = { code: child.exitCode, signal: child.signalCode };
    this.#log.end(end.signal === null ? `exit code ${end.code}` : end.signal);
    return end;
  }
}

function logStream(path: string | undefined): Writable | undefined {
  if (path === undefined) return undefined;
  mkdirSync(dirname(path), { recursive: true });
  return createWriteStream(path, { flags: 'a' });
}

function send(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

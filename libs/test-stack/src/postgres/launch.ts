import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { Duplex } from 'node:stream';
import { type Account, spawnOptionsOf } from './account.js';
import { explain } from './explain.js';
import { lockFileOf, supervisorMark, within } from './leftover.js';

// Handed over as text: the account may be unable to read this repository.
const supervise = readFileSync(new URL('../../src/supervise.sh', import.meta.url), 'utf8');
// Recovery after a crash comes before the first connection and can take a while on a slow disk.
const readyTimeoutMs = 60_000;

export interface Launch {
  readonly account: Account;
  readonly postgres: string;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Remove the data directory when the parent is killed. */
  readonly discard: boolean;
}

/** A server that accepts connections. `exited` never rejects. */
export interface Postmaster {
  readonly pid: number;
  readonly exited: Promise<void>;
}

/** A server that gave up before it was ready; `log` is what it wrote. */
export class LaunchFailure extends Error {
  override readonly name = 'LaunchFailure';
  readonly log: string;
  constructor(log: string) {
    super('PostgreSQL did not start');
    this.log = log;
  }
}

/** Starts a server under its supervisor and waits until it accepts connections. Rejects with LaunchFailure. */
export async function launch(o: Launch): Promise<Postmaster> {
  const before = await stat(o.logFile).then(({ size }) => size, () => 0);
  const log = await open(o.logFile, 'a', 0o600);
  const settings = Object.entries(o.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', supervise, supervisorMark, o.discard ? 'QUIT' : 'INT', o.discard ? o.dataDir : '', o.postgres, '-D', o.dataDir, ...settings], {
    ...spawnOptionsOf(o.account),
    detached: true, // A terminal's Ctrl-C goes to the whole foreground group; the server must outlive its clients' orderly end.
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  try {
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  let ended = false;
  const exited = once(child, 'exit').then(() => { ended = true; });
  const pid = await serverPid(child);
  const ready = async (): Promise<boolean> => {
    const lock = await lockFileOf(o.dataDir);
    return ended || (lock !== undefined && lock.pid === pid && lock.state === 'ready');
  };
  const inTime = await within(readyTimeoutMs, ready);
  if (inTime && !ended && pid !== undefined) return { pid, exited };
  if (pid !== undefined && !ended) process.kill(pid, 'SIGQUIT');
  await exited;
  if (!inTime) throw explain(`FATAL: not ready within ${readyTimeoutMs / 1000} s; see ${o.logFile}`, 'starting PostgreSQL');
  throw new LaunchFailure((await readFile(o.logFile)).subarray(before).toString('utf8'));
}

async function serverPid(child: ChildProcess): Promise<number | undefined> {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex)) return undefined;
  let text = '';
  pipe.setEncoding('utf8');
  pipe.on('error', () => undefined); // Reset when the supervisor goes; its exit says so already.
  return new Promise((resolve) => {
    pipe.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(Number(text));
    });
    pipe.on('close', () => resolve(undefined));
  });
}

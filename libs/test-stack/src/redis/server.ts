import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { StackFault } from '../stack-fault.js';
import { ensureRedis } from './install.js';

export interface RedisOptions {
  /** Redis's own settings by name, over the defaults: `{ 'maxmemory-policy': 'allkeys-lru' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Kept between runs, with an append-only file. Left out: a temporary one that saves only when told, and is removed at stop(), or when this process dies. */
  readonly dataDir?: string;
  /** On 127.0.0.1. Left out: any free one. */
  readonly port?: number;
}

/** A real Redis on loopback. */
export interface RedisServer {
  /** `redis://127.0.0.1:PORT`; the same after restart(). */
  readonly url: string;
  readonly port: number;
  /** Where dump.rdb is read at a start, and written by SAVE: a test that brings an old dump back puts it here while the server is down. */
  readonly dataDir: string;
  /** Orderly end, with a last dump where `save` is set. Safe to call twice. */
  stop(): Promise<void>;
  /** SIGKILL: what was not saved is lost. The data directory stays. */
  kill(): Promise<void>;
  /** SIGSTOP: its connections stay and it answers nothing, until thaw() or an end. */
  freeze(): void;
  thaw(): void;
  /** Kills it if it still runs, then starts again on the same port with what was saved. */
  restart(): Promise<void>;
}

const supervise = readFileSync(new URL('../../src/supervise.sh', import.meta.url), 'utf8');
const folderPrefix = 'leasehold-redis-';
const staleAfterMs = 24 * 60 * 60 * 1000;
const readyTimeoutMs = 20_000;
const loopback = '127.0.0.1';
const always = { bind: loopback, daemonize: 'no', 'maxmemory-policy': 'noeviction', logfile: 'redis.log' };
const temporary = { save: '', appendonly: 'no' };
const kept = { appendonly: 'yes', appendfsync: 'everysec' };

/** Starts a Redis and waits until it answers. It ends with stop(), and when this process dies, however that happens. Rejects with a StackFault. */
export async function startRedis(o: RedisOptions = {}): Promise<RedisServer> {
  const program = await ensureRedis();
  const discard = o.dataDir === undefined;
  if (discard) await sweep(tmpdir());
  const dataDir = o.dataDir ?? (await mkdtemp(join(tmpdir(), folderPrefix)));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const settings = { ...always, ...(discard ? temporary : kept), ...o.settings, dir: dataDir };
  for (let attempt = 1; ; attempt += 1) {
    const server = new Server(program, dataDir, discard, settings, o.port ?? (await freePort()));
    try {
      await server.start();
      return server;
    } catch (error) {
      // A port that was free a moment ago may be taken now.
      if (o.port === undefined && attempt < 3) continue;
      await server.stop();
      throw error;
    }
  }
}

class Server implements RedisServer {
  readonly dataDir: string;
  readonly port: number;
  readonly #program: string;
  readonly #discard: boolean;
  readonly #settings: Readonly<Record<string, string>>;
  #running: { readonly pid: number; readonly exited: Promise<unknown> } | undefined;

  constructor(program: string, dataDir: string, discard: boolean, settings: Readonly<Record<string, string>>, port: number) {
    this.#program = program;
    this.dataDir = dataDir;
    this.#discard = discard;
    this.#settings = settings;
    this.port = port;
  }

  get url(): string {
    return `redis://${loopback}:${this.port}`;
  }

  async start(): Promise<void> {
    const file = join(this.dataDir, 'redis.conf');
    await writeFile(file, [...Object.entries(this.#settings), ['port', String(this.port)]].map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`).join(''), { mode: 0o600 });
    const child = spawn('/bin/sh', ['-c', supervise, 'leasehold-redis-supervisor', this.#discard ? 'KILL' : 'TERM', this.#discard ? this.dataDir : '', this.#program, file], {
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      detached: true, // A terminal's Ctrl-C goes to the whole foreground group; the server must outlive its clients' orderly end.
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    await once(child, 'spawn');
    const exited = once(child, 'exit');
    const pid = await serverPid(child);
    if (pid !== undefined) this.#running = { pid, exited };
    const late = AbortSignal.timeout(readyTimeoutMs);
    while (!(await this.#answers(pid))) {
      if (child.exitCode !== null || child.signalCode !== null || late.aborted) throw await this.#explain();
      await delay(20);
    }
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    if (this.#discard) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#signal(signal);
    this.#signal('SIGCONT');
    this.#running = undefined;
    await running.exited;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#running === undefined) return;
    try {
      process.kill(this.#running.pid, signal);
    } catch {
      // Gone already.
    }
  }

  /** Whether the server that was started answers; somebody else's on its port, started a moment earlier, would answer too. */
  async #answers(pid: number | undefined): Promise<boolean> {
    const info = await ask(this.port, 'INFO server\r\n');
    return pid !== undefined && info.includes(`process_id:${pid}\r`);
  }

  async #explain(): Promise<StackFault> {
    const log = await readFile(join(this.dataDir, 'redis.log'), 'utf8').catch(() => '');
    return new StackFault(`Redis did not start: ${log.trim().split('\n').slice(-3).join(' | ') || 'it said nothing; see its settings'}`);
  }
}

/** What a Redis answers to an inline command; empty when nothing does. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: loopback, port, timeout: 2_000 }, () => socket.write(command));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\r\n')) socket.destroy();
    });
    socket.on('timeout', () => socket.destroy()).on('error', () => undefined).on('close', () => resolve(text));
  });
}

async function serverPid(child: ChildProcess): Promise<number | undefined> {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex)) return undefined;
  pipe.setEncoding('utf8');
  pipe.on('error', () => undefined); // Reset when the supervisor goes; its exit says so already.
  return new Promise((resolve) => {
    let text = '';
    pipe.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(Number(text));
    });
    pipe.on('close', () => resolve(undefined));
  });
}

/** Removes what runs left behind that were killed together with their supervisor. */
async function sweep(root: string): Promise<void> {
  const names = (await readdir(root)).filter((name) => name.startsWith(folderPrefix));
  for (const path of names.map((name) => join(root, name))) {
    const seen = await stat(path).catch(() => undefined);
    if (seen !== undefined && seen.uid === process.getuid?.() && Date.now() - seen.mtimeMs > staleAfterMs) await rm(path, { recursive: true, force: true });
  }
}

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.js';
import { StackFault } from '../stack-fault.js';
import { accountFor } from './account.js';
import { locateBinaries } from './binaries.js';
import { dataDirectory } from './data-directory.js';
import { directoryIsTaken, explain, memoryIsInUse, portIsTaken } from './explain.js';
import { type Launch, LaunchFailure, type Postmaster, launch } from './launch.js';
import { clearLeftover, within } from './leftover.js';
import { placesFor } from './places.js';
import { passwordFile, superuser } from './template.js';

export interface PostgresOptions {
  /** Kept between runs, with fsync on. Left out: a temporary one with fsync off that is removed at stop(), or when this process dies. */
  readonly dataDir?: string;
  /** On 127.0.0.1. Left out: any free one. */
  readonly port?: number;
  /** PostgreSQL's own settings, over the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the server's log goes; default: server.log in the data directory. */
  readonly logFile?: string;
}

export interface PostgresServer {
  readonly port: number;
  /** Where the data really lies; see README for when that is not the folder asked for. */
  readonly dataDir: string;
  /** The server's process id; another one after restart(). */
  readonly pid: number;
  /** Resolves when the server has ended, expected or not; another promise after restart(). Never rejects. */
  readonly exited: Promise<void>;
  /** URL for the superuser; database `postgres` by default. Holds the server's password. */
  connectionString(database?: string): string;
  /** Creates the database unless it exists; answers its URL. */
  ensureDatabase(name: string): Promise<string>;
  /** Orderly end; open connections are closed. Safe to call twice. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would be: what was not committed is lost, restart() recovers. */
  kill(): Promise<void>;
  /** Stops if it still runs, then starts again on the same port and data. */
  restart(): Promise<void>;
}

const loopback = '127.0.0.1';
const always = { listen_addresses: loopback, unix_socket_directories: '', max_connections: '200', timezone: 'UTC', log_timezone: 'UTC', jit: 'off' };
// synchronous_commit stays on also without fsync: it costs nothing then, and a coordinator refuses a cluster that has it off.
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
// Shared memory as files of the data directory: what a killed server leaves goes with its data.
const fast = { fsync: 'off', synchronous_commit: 'on', full_page_writes: 'off', shared_buffers: '32MB', max_wal_size: '128MB', dynamic_shared_memory_type: 'mmap' };
const stopTimeoutMs = 20_000;

/** Starts a real PostgreSQL and waits until it accepts connections. Rejects with a StackFault of one line. Safe to call from several processes at once. */
export async function startPostgres(o: PostgresOptions = {}): Promise<PostgresServer> {
  const account = await accountFor(o.dataDir);
  const places = await placesFor(account, await locateBinaries());
  const temporary = o.dataDir === undefined;
  const settings = { ...always, ...(temporary ? fast : durable), ...o.settings };
  const dataDir = await dataDirectory(o.dataDir, account, places, { durable: settings.fsync !== 'off' });
  const logFile = o.logFile ?? join(dataDir, 'server.log');
  const server = new Server({ account, postgres: places.binaries.postgres, dataDir, settings, logFile, discard: temporary }, await readFile(join(dataDir, passwordFile), 'utf8'));
  try {
    await server.start(o.port);
  } catch (error) {
    if (temporary) await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
  return server;
}

class Server implements PostgresServer {
  readonly #launch: Launch;
  readonly #password: string;
  #port = 0;
  #postmaster: Postmaster | undefined;

  constructor(options: Launch, password: string) {
    this.#launch = options;
    this.#password = password;
  }

  get port(): number {
    return this.#port;
  }

  get dataDir(): string {
    return this.#launch.dataDir;
  }

  get pid(): number {
    return this.#running().pid;
  }

  get exited(): Promise<void> {
    return this.#running().exited;
  }

  connectionString(database = 'postgres'): string {
    return `postgresql://${superuser}:${encodeURIComponent(this.#password)}@${loopback}:${this.#port}/${encodeURIComponent(database)}`;
  }

  async ensureDatabase(name: string): Promise<string> {
    const client = new pg.Client({ connectionString: this.connectionString() });
    await client.connect();
    try {
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)} template template0`);
    } finally {
      await client.end();
    }
    return this.connectionString(name);
  }

  async start(wanted: number | undefined): Promise<void> {
    const end = performance.now() + 10_000;
    for (let attempt = 1; ; attempt += 1) {
      await clearLeftover(this.dataDir);
      this.#port = wanted ?? (await freePort());
      try {
        this.#postmaster = await launch({ ...this.#launch, settings: { ...this.#launch.settings, port: String(this.#port) } });
        return;
      } catch (error) {
        if (!(error instanceof LaunchFailure)) throw error;
        if (portIsTaken(error.log)) {
          if (wanted !== undefined) throw new StackFault(`port ${wanted} on ${loopback} is taken: stop what listens there, or choose another port`, { cause: error });
          if (attempt < 5) continue;
        }
        if (!(memoryIsInUse(error.log) || directoryIsTaken(error.log)) || performance.now() > end) throw explain(error.log, `starting PostgreSQL in ${this.dataDir}`);
        await delay(50); // Backends of a killed server notice its end by themselves, soon; who runs a taken directory is told next time round.
      }
    }
  }

  async stop(): Promise<void> {
    await this.#end(this.#launch.discard ? 'SIGQUIT' : 'SIGINT');
    if (this.#launch.discard) await rm(this.dataDir, { recursive: true, force: true });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.#end('SIGINT');
    await this.start(this.#port);
  }

  #running(): Postmaster {
    if (this.#postmaster === undefined) throw new StackFault('this PostgreSQL was stopped');
    return this.#postmaster;
  }

  async #end(first: NodeJS.Signals): Promise<void> {
    const postmaster = this.#postmaster;
    if (postmaster === undefined) return;
    let ended = false;
    const exited = postmaster.exited.then(() => { ended = true; });
    for (const signal of [first, 'SIGQUIT', 'SIGKILL'] as const) {
      signalIfAlive(postmaster.pid, signal);
      if (await within(stopTimeoutMs, () => Promise.resolve(ended))) break;
    }
    await exited;
    this.#postmaster = undefined;
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, which is what was wanted.
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { acceptsKeys } from '../test-bucket.js';
import { memoryFolder } from '../postgres/places.js';
import { StackFault } from '../stack-fault.js';
import { configuration, keyring } from './configuration.js';
import { ensureCeph } from './install.js';

/** A real S3 with versioning, on loopback, with a user of its own. */
export interface CephServer {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly dataDir: string;
  /** Ends it and removes its data. Safe to call twice. */
  stop(): Promise<void>;
}

const supervise = readFileSync(new URL('../../src/ceph/supervise.sh', import.meta.url), 'utf8');
const folderPrefix = 'leasehold-ceph-';
const staleAfterMs = 24 * 60 * 60 * 1000;
const startTimeoutMs = 120_000;
const attempts = 3;

/**
 * Starts a monitor, an object daemon in memory and an S3 gateway, and waits until the gateway answers. They end with stop(), and when this process dies, however
 * that happens. Takes some 3 s; the first one on a machine also installs Ceph where it may (see ensureCeph). Rejects with a StackFault.
 */
export async function startCeph(): Promise<CephServer> {
  await ensureCeph();
  const root = (await memoryFolder()) ?? tmpdir();
  await sweep(root);
  for (let attempt = 1; ; attempt += 1) {
    const server = new Server(await mkdtemp(join(root, folderPrefix)), await freePort());
    try {
      await server.start(await freePort());
      return server;
    } catch (error) {
      await server.stop();
      // A port that was free a moment ago may be taken now; everything else fails again.
      if (attempt === attempts) throw error;
    }
  }
}

class Server implements CephServer {
  readonly endpoint: string;
  readonly accessKeyId = `LH${randomBytes(9).toString('hex').toUpperCase()}`;
  readonly secretAccessKey = randomBytes(20).toString('hex');
  readonly dataDir: string;
  readonly #gatewayPort: number;
  #child: ChildProcess | undefined;

  constructor(dir: string, gatewayPort: number) {
    this.dataDir = dir;
    this.#gatewayPort = gatewayPort;
    this.endpoint = `http://127.0.0.1:${gatewayPort}`;
  }

  async start(monitorPort: number): Promise<void> {
    const dir = this.dataDir;
    await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(join(dir, name))));
    await writeFile(join(dir, 'ceph.conf'), configuration(dir, { monitor: monitorPort, gateway: this.#gatewayPort }));
    await writeFile(join(dir, 'keyring'), keyring(), { mode: 0o600 });
    const child = spawn('/bin/sh', ['-c', supervise, 'leasehold-ceph-supervisor', dir], {
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC', LEASEHOLD_CEPH_ACCESS_KEY: this.accessKeyId, LEASEHOLD_CEPH_SECRET_KEY: this.secretAccessKey },
      detached: true, // Its process group is what the watcher ends.
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    this.#child = child;
    await once(child, 'spawn');
    let launched = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      launched += text;
    });
    child.stdio[3]?.on('error', () => undefined); // Reset when the supervisor goes; its exit says so already.
    const late = AbortSignal.timeout(startTimeoutMs);
    while (!(launched.includes('started') && (await this.#answers()))) {
      if (child.exitCode !== null || child.signalCode !== null || late.aborted) throw await this.#explain(late.aborted);
      await delay(50);
    }
    // Somebody else's gateway on its port, started a moment earlier, would answer as well.
    if (!(await acceptsKeys(this))) throw new StackFault(`port ${this.#gatewayPort} on 127.0.0.1 is another server's`);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      const pipe = child.stdio[3];
      if (pipe instanceof Socket) pipe.destroy();
      await exited;
    }
    // The watcher removes it too; whoever comes second finds nothing. What a daemon writes as it dies can come in between.
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  async #answers(): Promise<boolean> {
    try {
      const response = await fetch(this.endpoint, { signal: AbortSignal.timeout(2000) });
      await response.arrayBuffer();
      return response.status === 200 && (response.headers.get('x-amz-request-id') ?? '') !== '';
    } catch {
      return false;
    }
  }

  async #explain(late: boolean): Promise<StackFault> {
    const log = await readFile(join(this.dataDir, 'daemons.log'), 'utf8').catch(() => '');
    const last = log.trim().split('\n').slice(-5).join(' | ');
    return new StackFault(`Ceph ${late ? `was not ready within ${startTimeoutMs / 1000} s` : 'did not start'}: ${last === '' ? 'it said nothing' : last}`);
  }
}

/** Removes what runs left behind that were killed together with their watcher. */
async function sweep(root: string): Promise<void> {
  const names = (await readdir(root)).filter((name) => name.startsWith(folderPrefix));
  for (const path of names.map((name) => join(root, name))) {
    const seen = await stat(path).catch(() => undefined);
    if (seen !== undefined && seen.uid === process.getuid?.() && Date.now() - seen.mtimeMs > staleAfterMs) await rm(path, { recursive: true, force: true });
  }
}

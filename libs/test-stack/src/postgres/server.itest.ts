import { type ChildProcess, spawn } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accountFor, spawnOptionsOf } from './account.js';
import { memoryFolder } from './places.js';
import { runningProcess } from './process-table.js';
import { type PostgresServer, startPostgres } from './server.js';

const servers: PostgresServer[] = [];
let folder: string;
let shared: PostgresServer;
beforeAll(async () => {
  folder = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'leasehold-postgres-'));
  await chmod(folder, 0o755);
  shared = await startPostgres({ settings: { max_connections: '17' } });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(async () => {
  await shared.stop();
  await rm(folder, { recursive: true });
});

async function start(o?: Parameters<typeof startPostgres>[0]): Promise<PostgresServer> {
  const server = await startPostgres(o);
  servers.push(server);
  return server;
}

async function query(server: PostgresServer, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.connectionString() });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

// Where not durability is at stake: syncing hundreds of files takes long on a busy disk.
const settings = { fsync: 'off' };

const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

test('a data directory keeps what was committed, durably by default, over stop, kill and restart', async () => {
  const dataDir = join(folder, 'kept');
  const first = await start({ dataDir });
  expect(await query(first, "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit")).toEqual([{ fsync: 'on', commit: 'on' }]);
  await query(first, 'create table kept as select 1 as n');
  await first.kill();
  await first.restart();
  await query(first, 'insert into kept values (2)');
  await first.stop();
  await first.stop();
  const second = await start({ dataDir });
  expect(await query(second, 'select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('restart keeps the port, so that clients find it again', async () => {
  const { port, pid } = shared;
  await shared.restart();
  expect(shared.port).toBe(port);
  expect(shared.pid).not.toBe(pid);
  expect(await query(shared, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('an unexpected end is told', async () => {
  const { exited } = shared;
  process.kill(shared.pid, 'SIGKILL');
  await exited;
  await shared.restart();
  expect(await query(shared, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('a temporary data directory goes at stop', async () => {
  const server = await start();
  expect(await exists(server.dataDir)).toBe(true);
  await server.stop();
  expect(await exists(server.dataDir)).toBe(false);
});

test('settings given win over the defaults, and databases are made once', async () => {
  expect(await query(shared, "select current_setting('fsync') as fsync, current_setting('max_connections') as n")).toEqual([{ fsync: 'off', n: '17' }]);
  expect(await shared.ensureDatabase('queue')).toBe(shared.connectionString('queue'));
  expect(await shared.ensureDatabase('queue')).toBe(shared.connectionString('queue'));
});

test('without the password nobody is let in', async () => {
  const url = new URL(shared.connectionString());
  url.password = 'guessed';
  await expect(new pg.Client({ connectionString: url.href }).connect()).rejects.toThrow('password authentication failed');
});

test('a port that is taken is one clear line', async () => {
  const other = await new Promise<Server>((resolve) => {
    const listener = createServer().listen(0, '127.0.0.1', () => resolve(listener));
  });
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    await expect(startPostgres({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is taken: stop what listens there, or choose another port`);
  } finally {
    other.close();
  }
});

test('the data of another major version is not touched', async () => {
  const dataDir = join(folder, 'older');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'PG_VERSION'), '15\n');
  await writeFile(join(dataDir, 'leasehold-password'), 'secret');
  await expect(startPostgres({ dataDir })).rejects.toThrow(/^the data directory \S+older was made by PostgreSQL 15 and this is PostgreSQL \d+: move it away[^\n]*$/);
  expect((await readdir(dataDir)).toSorted()).toEqual(['PG_VERSION', 'leasehold-password']);
});

test('a folder with something else in it is not touched', async () => {
  const dataDir = join(folder, 'photos');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'cat.jpg'), '');
  await expect(startPostgres({ dataDir })).rejects.toThrow('photos is neither empty nor a PostgreSQL data directory: choose another folder');
  expect(await readdir(dataDir)).toEqual(['cat.jpg']);
});

test('a data directory that is in use names who uses it', async () => {
  const dataDir = join(folder, 'used');
  const server = await start({ dataDir, settings });
  await expect(startPostgres({ dataDir })).rejects.toThrow(`used is in use by a running PostgreSQL (process ${server.pid}, port ${server.port})`);
  expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('of two starts at once on one data directory one gets it', async () => {
  const dataDir = join(folder, 'raced');
  const results = await Promise.allSettled([start({ dataDir, settings }), start({ dataDir, settings })]);
  const [won] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const lost = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  expect(lost).toEqual([expect.stringContaining(`is in use by a running PostgreSQL (process ${won?.pid}`)]);
});

test('a lock file whose process id now belongs to another program does not block the start', async () => {
  const dataDir = join(folder, 'reused');
  const server = await start({ dataDir, settings });
  await server.kill();
  const lockFile = join(dataDir, 'postmaster.pid');
  const stranger: ChildProcess = spawn('sleep', ['600'], spawnOptionsOf(await accountFor(dataDir)));
  try {
    await writeFile(lockFile, (await readFile(lockFile, 'utf8')).replace(/^\d+/, String(stranger.pid)));
    await server.restart();
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(stranger.exitCode).toBeNull();
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('a server that lost its supervisor is stopped by the next start', async () => {
  const dataDir = join(folder, 'abandoned');
  const abandoned = await start({ dataDir, settings });
  const { pid } = abandoned;
  await query(abandoned, 'create table kept as select 1 as n');
  process.kill((await runningProcess(pid))?.parent ?? 0, 'SIGKILL');
  await abandoned.exited;
  expect(await runningProcess(pid)).toBeDefined();
  const next = await start({ dataDir, settings });
  expect(await runningProcess(pid)).toBeUndefined();
  expect(await query(next, 'select n from kept')).toEqual([{ n: 1 }]);
});

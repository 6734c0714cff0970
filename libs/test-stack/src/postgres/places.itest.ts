import { access, chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountFor, runAs } from './account.js';
import { binariesIn, locateBinaries } from './binaries.js';
import { memoryFolder, placesFor } from './places.js';
import { startPostgres } from './server.js';
import { sweep } from './sweep.js';
import { passwordFile, templateCluster } from './template.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'leasehold-places-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

const settings = { fsync: 'off' }; // Durability is not at stake here.
const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

test('two processes that make the template cluster at once end up with one that is whole', async () => {
  const account = await accountFor(undefined);
  const cache = join(folder, 'cache');
  await mkdir(cache);
  const places = { ...(await placesFor(account, await locateBinaries())), cache };
  const [one, other] = await Promise.all([templateCluster(account, places), templateCluster(account, places)]);
  expect(other).toBe(one);
  expect(await readdir(one)).toEqual(expect.arrayContaining(['PG_VERSION', 'base', passwordFile]));
  expect(await readdir(cache)).toHaveLength(1);
});

test('temporary data lies in memory only where there is plenty of it', async () => {
  expect(await memoryFolder('/dev/shm', 2 ** 60)).toBeUndefined();
  expect(await memoryFolder('/no-such-folder', 1)).toBeUndefined();
  expect(await memoryFolder('/proc', 1)).toBeUndefined();
  const account = await accountFor(undefined);
  const { scratch, temporary } = await placesFor(account, await locateBinaries());
  expect(scratch.startsWith((await memoryFolder()) ?? temporary)).toBe(true);
});

test('who asks for fsync gets a disk', async () => {
  const { temporary } = await placesFor(await accountFor(undefined), await locateBinaries());
  const server = await startPostgres({ settings: { fsync: 'on' } });
  expect(server.dataDir.startsWith(temporary)).toBe(true);
  await server.stop();
});

test('what killed runs left behind goes after a day, a running server stays', async () => {
  const server = await startPostgres({ dataDir: join(folder, 'data-running'), settings });
  const tomorrowMs = Date.now() + 25 * 60 * 60 * 1000;
  const left = join(folder, 'data-left');
  await mkdir(left);
  await sweep(folder);
  expect(await exists(left)).toBe(true);
  await sweep(folder, tomorrowMs);
  expect(await exists(left)).toBe(false);
  expect(await exists(server.dataDir)).toBe(true);
  await server.stop();
});

if (process.getuid?.() === 0) {
  test("programs that the server's user cannot reach are copied to where it can", async () => {
    const account = await accountFor(undefined);
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await symlink((await locateBinaries()).native, join(closed, 'native'));
    const installed = binariesIn(join(closed, 'native'));
    await expect(runAs(account, installed.postgres, ['--version'])).rejects.toThrow('EACCES');
    const places = await placesFor(account, installed);
    expect(places.binaries.native.startsWith(places.temporary)).toBe(true);
    expect(places.cache).toBe(places.temporary);
    expect((await placesFor(account, installed)).binaries).toEqual(places.binaries);
    expect(await runAs(account, places.binaries.initdb, ['--version'])).toContain('PostgreSQL');
    await rm(places.binaries.native, { recursive: true });
  });

  test("a data directory that the server's user cannot reach lies in the temporary folder, and is found again", async () => {
    const closed = join(folder, 'home');
    await mkdir(closed, { mode: 0o700 });
    const first = await startPostgres({ dataDir: join(closed, 'data'), settings });
    await first.ensureDatabase('kept');
    await first.stop();
    expect(first.dataDir.startsWith(closed)).toBe(false);
    const second = await startPostgres({ dataDir: join(closed, 'data'), settings });
    expect(second.dataDir).toBe(first.dataDir);
    await second.stop();
    await rm(second.dataDir, { recursive: true });
  });
}

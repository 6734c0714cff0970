import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leftOut } from '../left-out.js';
import { ensureRedis, findRedis, redisInstallLine } from './install.js';

test('where Redis is missing and may not be installed, one line says how to install it and how to do without', async () => {
  const refusal = ensureRedis({ path: '/nowhere', root: false });
  await expect(refusal).rejects.toMatchObject({ name: 'StackFault' });
  await expect(refusal).rejects.toThrow(redisInstallLine);
  await expect(refusal).rejects.toThrow('LEASEHOLD_WITHOUT=redis');
  await expect(refusal).rejects.not.toThrow('\n');
});

test('what is on PATH is taken, a Valkey too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-path-'));
  const valkey = join(folder, 'valkey-server');
  try {
    expect(await findRedis({ path: folder, root: false })).toBeUndefined();
    await writeFile(valkey, '');
    await chmod(valkey, 0o755);
    expect(await ensureRedis({ path: folder, root: false })).toBe(valkey);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('Redis is left out by its own name', () => {
  expect(['redis', 's3,redis', 's3', 'rediss'].map((without) => leftOut('redis', without))).toEqual([true, true, false, false]);
});

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeInDirectory, publish, removeEmptyDirectories } from './durable-directories.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

test('a file finds its place when the directory vanishes under it, even often', async () => {
  const root = await temporaryDirectory();
  const target = join(root, 'a', 'b');
  let tries = 0;
  await placeInDirectory(root, target, async () => {
    tries += 1;
    if (tries < 20) await removeEmptyDirectories(root, target);
    await writeFile(join(target, 'placed'), '');
  });
  expect(await readdir(target)).toEqual(['placed']);
  expect(tries).toBe(20);
});

test('a directory that never stays is a fault, not an endless loop', async () => {
  const root = await temporaryDirectory();
  const target = join(root, 'a');
  const placing = placeInDirectory(root, target, async () => {
    await rm(target, { recursive: true });
    await writeFile(join(target, 'placed'), '');
  });
  await expect(placing).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a temporary file that was swept is told apart from a directory that vanished', async () => {
  const root = await temporaryDirectory();
  await expect(publish(root, join(root, 'swept'), join(root, 'a'), 'name')).rejects.toThrow('the temporary file swept was swept');
});

test('removing empty directories stops at the first that holds something, and at the root', async () => {
  const root = join(await temporaryDirectory(), 'root');
  await mkdir(join(root, 'kept/a/b'), { recursive: true });
  await writeFile(join(root, 'kept/file'), '');
  await removeEmptyDirectories(root, join(root, 'kept/a/b'));
  expect(await readdir(root, { recursive: true })).toEqual(['kept', 'kept/file']);
  await rm(join(root, 'kept/file'));
  await removeEmptyDirectories(root, join(root, 'kept/missing/deeper'));
  expect(await readdir(root)).toEqual([]);
});

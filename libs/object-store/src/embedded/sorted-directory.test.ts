import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collect } from '../conformance/subject.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';
import { sortedDirectory } from './sorted-directory.js';

const byName = { read: (name: string) => name, compare: (a: string, b: string) => (a < b ? -1 : Number(a > b)) };

async function directoryWith(names: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory();
  await Promise.all(names.map((name) => writeFile(join(directory, name), '')));
  return directory;
}

test('a directory of any size comes in order and once, whatever the window', async () => {
  const names = Array.from({ length: 23 }, (_, n) => `name-${(n * 7919) % 100}`);
  const directory = await directoryWith(names);
  for (const window of [1, 2, 11, 12, 23, 24, 1000]) {
    expect(await collect(sortedDirectory(directory, { ...byName, window })), `window ${window}`).toEqual(names.toSorted());
  }
});

test('names that mean nothing are left out, also where they would fill a window', async () => {
  const directory = await directoryWith(['a', 'b', 'x1', 'x2', 'x3', 'c']);
  const read = (name: string): string | undefined => (name.startsWith('x') ? undefined : name);
  expect(await collect(sortedDirectory(directory, { ...byName, read, window: 2 }))).toEqual(['a', 'b', 'c']);
});

test('what is removed or added behind the window does not move what follows', async () => {
  const directory = await directoryWith(['a', 'b', 'c', 'd', 'e']);
  const seen: string[] = [];
  for await (const name of sortedDirectory(directory, { ...byName, window: 2 })) {
    seen.push(name);
    if (name === 'b') {
      await rm(join(directory, 'a'));
      await rm(join(directory, 'd'));
      await writeFile(join(directory, 'aa'), '');
      await writeFile(join(directory, 'f'), '');
    }
  }
  expect(seen).toEqual(['a', 'b', 'c', 'e', 'f']);
});

test('a directory that is missing, or goes away between two windows, just ends', async () => {
  const directory = join(await temporaryDirectory(), 'inner');
  expect(await collect(sortedDirectory(directory, byName))).toEqual([]);
  await mkdir(directory);
  for (const name of ['a', 'b', 'c']) await writeFile(join(directory, name), '');
  const names = sortedDirectory(directory, { ...byName, window: 1 });
  expect((await names.next()).value).toBe('a');
  await rm(directory, { recursive: true });
  expect((await names.next()).done).toBe(true);
});

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from './scratch-folder.fixture.js';
import { lockFolder } from './stack-lock.js';

async function folder(content?: string): Promise<{ root: string; lock: string }> {
  const root = await scratchFolder();
  const lock = join(root, 'stack.lock');
  if (content !== undefined) await writeFile(lock, content);
  return { root, lock };
}

test('a second stack on one folder is told who has it, and gets it once that one has given it back', async () => {
  const place = await folder();
  const unlock = await lockFolder(place);
  await expect(lockFolder(place)).rejects.toThrow(`a stack runs on ${place.root} already (process ${process.pid})`);
  await unlock();
  await (await lockFolder(place))();
  expect(await readdir(place.root)).toEqual([]);
});

test('of many at once exactly one gets the folder, also when a dead one had it', async () => {
  const place = await folder(JSON.stringify({ pid: 2 ** 30, command: 'node main.js' }));
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(place)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(JSON.parse(await readFile(place.lock, 'utf8'))).toMatchObject({ pid: process.pid });
});

test.each([
  ['of a process that is gone', JSON.stringify({ pid: 2 ** 30, command: 'node main.js' })],
  ['whose process id another program has by now', JSON.stringify({ pid: process.ppid, command: 'node main.js' })],
  ['that a full disk cut off', '{"pid":'],
])('a lock %s is taken over', async (_, content) => {
  const place = await folder(content);
  const unlock = await lockFolder(place);
  expect(JSON.parse(await readFile(place.lock, 'utf8'))).toMatchObject({ pid: process.pid });
  await unlock();
});

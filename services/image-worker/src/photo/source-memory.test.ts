import { expect, test } from 'vitest';
import { SourceMemory } from './source-memory.js';

const mebibyte = 1024 * 1024;

test('memory that was given back is used again, at the size that is asked for', () => {
  const memory = new SourceMemory({ most: 2 });
  const first = memory.take(5 * mebibyte);
  memory.giveBack(first);
  const second = memory.take(6 * mebibyte);
  expect([first.length, second.length]).toEqual([5 * mebibyte, 6 * mebibyte]);
  expect(second.buffer).toBe(first.buffer);
});

test('two sources never share memory, also when one is given back twice', () => {
  const memory = new SourceMemory({ most: 2 });
  const first = memory.take(10);
  memory.giveBack(first);
  memory.giveBack(first);
  expect(memory.take(10).buffer).not.toBe(memory.take(10).buffer);
});

test('no more pieces are kept than there are runs, and none of a huge file', () => {
  const memory = new SourceMemory({ most: 1 });
  const [small, large, huge] = [memory.take(1), memory.take(5 * mebibyte), memory.take(17 * mebibyte)];
  for (const part of [large, small, huge]) memory.giveBack(part);
  expect(memory.take(5 * mebibyte).buffer).toBe(large.buffer);
  for (const gone of [small, huge]) expect(memory.take(1).buffer).not.toBe(gone.buffer);
});

test('an empty file takes no memory that counts', () => {
  expect(new SourceMemory({ most: 1 }).take(0)).toHaveLength(0);
});

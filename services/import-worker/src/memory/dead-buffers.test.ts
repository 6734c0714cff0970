import { expect, test } from 'vitest';
import { DeadBuffers } from './dead-buffers.js';

const mebibyte = 1024 * 1024;

test('dead buffers do not gather', () => {
  const buffers = new DeadBuffers(4 * mebibyte);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let i = 0; i < 200; i += 1) {
    buffers.passed(Buffer.alloc(mebibyte / 4, i).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeGreaterThan(2 * mebibyte);
  // Left alone, V8 lets 32 MiB gather.
  expect(most).toBeLessThan(16 * mebibyte);
});

import { expect, test } from 'vitest';
import { progressOf } from './progress.js';

test('progress is cut to what a heartbeat can carry, whatever a handler says', () => {
  expect(progressOf(101.5, 'x'.repeat(65), { items: 2.9, bytes: -1, bytesTotal: Number.NaN })).toEqual({
    percent: 100, stage: 'x'.repeat(64), items: 2n, bytes: 0n, bytesTotal: 0n,
  });
  expect(progressOf(Number.NaN, '')).toEqual({ percent: 0, stage: '', items: 0n, bytes: 0n, bytesTotal: 0n });
});

test('amounts beyond 32 bits are exact', () => {
  expect(progressOf(33.4, 'reading', { items: 5_000_000_000, bytes: 2 ** 53 - 1, bytesTotal: 2 ** 53 - 1 })).toMatchObject({ percent: 33, items: 5_000_000_000n, bytes: 9007199254740991n });
});

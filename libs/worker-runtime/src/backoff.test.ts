import { expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

const at = (random: number) => ({ baseMs: 100, maxMs: 5000, random: () => random });

test('the delay doubles with each failure up to its limit', () => {
  expect([1, 2, 3, 6, 7, 1000].map((n) => backoffMs(n, at(1)))).toEqual([100, 200, 400, 3200, 5000, 5000]);
});

test('the delay is spread over its upper half', () => {
  expect(backoffMs(1, at(0))).toBe(50);
  expect(backoffMs(1, at(0.5))).toBe(75);
});

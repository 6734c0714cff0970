import { Note } from '@leasehold/echo-v1';
import { expect, test } from 'vitest';
import { durationOfMs, msOfDuration } from './duration.js';

test.each([
  [0, 0n, 0],
  [-0, 0n, 0],
  [1, 0n, 1_000_000],
  [1500.5, 1n, 500_500_000],
  [0.000001, 0n, 1],
  [-1, 0n, -1_000_000],
  [-2500, -2n, -500_000_000],
  [120_000, 120n, 0],
  [999.9999999, 1n, 0],
  [-999.9999999, -1n, 0],
  [315_576_000_000_000, 315_576_000_000n, 0],
])('%d ms is %d s and %d ns', (ms, seconds, nanos) => {
  expect(durationOfMs(ms)).toStrictEqual({ seconds, nanos });
});

test.each([NaN, Infinity, -Infinity, 315_576_000_001_000])('%d ms is refused', (ms) => {
  expect(() => durationOfMs(ms)).toThrow(RangeError);
});

test.each([0, 1, 250, 1500.5, 30_000, -2500, 2 ** 40])('%d ms comes back from the wire', (ms) => {
  const bytes = Note.encode(Note.create({ duration: durationOfMs(ms) })).finish();
  expect(msOfDuration(Note.decode(bytes).duration)).toBe(ms);
});

test('an unset duration is 0', () => {
  expect(msOfDuration(undefined)).toBe(0);
});

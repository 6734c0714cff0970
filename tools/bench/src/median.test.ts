import { expect, test } from 'vitest';
import { median, quantile } from './median.js';

test('the median is the middle, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test('a quantile names the value below which the share lies', () => {
  const values = Array.from({ length: 100 }, (_, i) => i);
  expect([quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([50, 99, 99]);
});

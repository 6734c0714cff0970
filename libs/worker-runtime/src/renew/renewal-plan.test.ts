import { expect, test } from 'vitest';
import { LeaseTooShort, planRenewal } from './renewal-plan.js';

test('heartbeats go out every third of the lease and wait for a quarter of it at most', () => {
  expect(planRenewal('image', 120_000, 5000)).toEqual({ everyMs: 40_000, deadlineMs: 30_000 });
});

test('a lease that just holds interval, deadline and margin is accepted', () => {
  expect(planRenewal('image', 1200, 500)).toEqual({ everyMs: 400, deadlineMs: 300 });
});

test('a lease that does not hold them is refused with what to change', () => {
  expect(() => planRenewal('image', 1200, 501)).toThrow(LeaseTooShort);
  expect(() => planRenewal('image', 1200, 501)).toThrow('kind image: a lease of 1200 ms does not hold');
  expect(() => planRenewal('image', 1200, 501)).toThrow('set the margin to at most 500 ms, or the kind\'s lease time to at least 1203 ms');
});

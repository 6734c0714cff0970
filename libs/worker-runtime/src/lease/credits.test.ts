import { expect, test } from 'vitest';
import { credits } from './credits.js';

const load = { concurrency: 4, prefetch: 2, running: 0, prefetched: 0, settling: 0 };

test('an idle worker asks for its slots and its prefetch', () => {
  expect(credits(load)).toBe(6);
});

test('runs and prefetched leases take credits', () => {
  expect(credits({ ...load, running: 4, prefetched: 1 })).toBe(1);
});

test('settlements on their way take no credit', () => {
  expect(credits({ ...load, settling: 1023 })).toBe(6);
});

test('a worker whose settlements are not answered stops taking', () => {
  expect(credits({ ...load, settling: 1024 })).toBe(0);
});

test('more leases than credits never become negative credits', () => {
  expect(credits({ ...load, running: 4, prefetched: 3 })).toBe(0);
});

test('one call never asks for more than the edge allows', () => {
  expect(credits({ ...load, concurrency: 4096 })).toBe(512);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeOf, versionFor, type Share } from './version-for.js';

const ids = Array.from({ length: 2_000 }, (_, i) => `job-${i}`);
const share = (percent: number): Share[] => [{ version: 2, percent }, { version: 1, percent: 100 - percent }];
const newestOf = (shares: readonly Share[], of = ids): Set<string> => new Set(of.filter((id) => versionFor(shares, id) === 2));

// Computed elsewhere: printf %s ID | sha256sum, the first eight digits modulo 100.
test.each([['job-1', 0x026ab639], ['', 0xe3b0c442]])('a place is the first four bytes of SHA-256, big-endian, modulo 100: %j', (id, leading) => {
  expect(placeOf(id)).toBe(leading % 100);
});

test('V2: a larger share of the newest version moves jobs to it and none away, and a smaller one only back', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), (a, b) => {
    const few = ids.slice(0, 200);
    const many = newestOf(share(Math.max(a, b)), few);
    expect([...newestOf(share(Math.min(a, b)), few)].every((id) => many.has(id))).toBe(true);
  }));
});

test('a share is that share of many jobs, the ends are all and none, and without a share there is no version', () => {
  const of = (percent: number): number => newestOf(share(percent)).size / ids.length;
  expect([of(0), of(100)]).toEqual([0, 1]);
  expect(Math.abs(of(10) - 0.1)).toBeLessThan(0.03);
  expect(Math.abs(of(50) - 0.5)).toBeLessThan(0.05);
  expect(versionFor([], 'job')).toBeUndefined();
});

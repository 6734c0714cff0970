import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Contract, ContractState } from './contract.js';
import { sharesFor, sharesWith, versionFor, type Share } from './shares.js';

const contract = (version: number, sharePercent: number, state: ContractState = 'open'): Contract =>
  ({ kind: 'image', version, state, sharePercent, paused: false, descriptorDigest: Buffer.alloc(0), revision: 1n, announcedAt: new Date(0), updatedAt: new Date(0) });
const ids = Array.from({ length: 2_000 }, (_, i) => `job-${i}`);
const newestOf = (shares: readonly Share[]): Set<string> => new Set(ids.filter((id) => versionFor(shares, id) === 2));

test('a producer is given the open versions that it writes, newest first, and all of its jobs have one', () => {
  expect(sharesFor([contract(1, 90), contract(2, 10)], [1, 2])).toEqual([{ version: 2, percent: 10 }, { version: 1, percent: 90 }]);
  expect(sharesFor([contract(1, 90), contract(2, 10)], [1])).toEqual([{ version: 1, percent: 100 }]);
  expect(sharesFor([contract(1, 0, 'closed'), contract(2, 100)], [1])).toEqual([]);
  expect(sharesFor([contract(1, 100), contract(3, 0, 'announced')], [1, 3])).toEqual([{ version: 1, percent: 100 }]);
});

test('a larger share of the newest version moves jobs to it and none away, and a smaller one only back', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), (a, b) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const share = (percent: number): Share[] => [{ version: 2, percent }, { version: 1, percent: 100 - percent }];
    const few = newestOf(share(low));
    const many = newestOf(share(high));
    expect([...few].every((id) => many.has(id))).toBe(true);
  }));
});

test('a share is that share of many jobs, the ends are all and none', () => {
  const of = (percent: number): number => newestOf([{ version: 2, percent }, { version: 1, percent: 100 - percent }]).size / ids.length;
  expect(of(0)).toBe(0);
  expect(of(100)).toBe(1);
  expect(Math.abs(of(10) - 0.1)).toBeLessThan(0.03);
  expect(Math.abs(of(50) - 0.5)).toBeLessThan(0.05);
});

test('whatever is opened, preferred or closed, the shares of what is open add up to 100', () => {
  const versions = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 4 });
  fc.assert(fc.property(versions, fc.integer({ min: 0, max: 100 }), (open, percent) => {
    const [version = 0, remainder = 0] = open;
    expect(sharesWith(open, version, percent, remainder).reduce((sum, share) => sum + share.percent, 0)).toBe(100);
  }));
});

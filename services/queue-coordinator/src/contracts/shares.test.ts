import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Contract, ContractState } from './contract.js';
import { sharesFor, sharesWith } from './shares.js';

const contract = (version: number, sharePercent: number, state: ContractState = 'open'): Contract =>
  ({ kind: 'image', version, state, sharePercent, paused: false, descriptorDigest: Buffer.alloc(0), revision: 1n, announcedAt: new Date(0), updatedAt: new Date(0) });

test('a producer is given the open versions that it writes, newest first, and all of its jobs have one', () => {
  expect(sharesFor([contract(1, 90), contract(2, 10)], [1, 2])).toEqual([{ version: 2, percent: 10 }, { version: 1, percent: 90 }]);
  expect(sharesFor([contract(1, 90), contract(2, 10)], [1])).toEqual([{ version: 1, percent: 100 }]);
  expect(sharesFor([contract(1, 0, 'closed'), contract(2, 100)], [1])).toEqual([]);
  expect(sharesFor([contract(1, 100), contract(3, 0, 'announced')], [1, 3])).toEqual([{ version: 1, percent: 100 }]);
});

test('whatever is opened, preferred or closed, the shares of what is open add up to 100', () => {
  const versions = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 4 });
  fc.assert(fc.property(versions, fc.integer({ min: 0, max: 100 }), (open, percent) => {
    const [version = 0, remainder = 0] = open;
    expect(sharesWith(open, version, percent, remainder).reduce((sum, share) => sum + share.percent, 0)).toBe(100);
  }));
});

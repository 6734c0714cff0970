import { expect, test } from 'vitest';
import { Dice } from './dice.js';
import { faults, planOf } from './plan.js';

const options = { photos: 30, faults: 2 * faults.length, spreadMs: 1_000, leaseMs: 100 };

test('the same seed plans the same rounds, another seed others', () => {
  const rounds = (seed: number): unknown[] => {
    const dice = new Dice(seed);
    return [planOf(dice, options, 0), planOf(dice, options, 30)];
  };
  expect(rounds(7)).toEqual(rounds(7));
  expect(rounds(7)).not.toEqual(rounds(8));
});

test('every kind of fault comes before any comes again', () => {
  const { faults: planned } = planOf(new Dice(1), options, 0);
  for (const half of [planned.slice(0, faults.length), planned.slice(faults.length)]) expect(half.map(({ kind }) => kind).toSorted()).toEqual(faults.toSorted());
});

test('numbers of photos go on where the round before ended, and everything lies within the round', () => {
  const { photos, faults: planned } = planOf(new Dice(3), options, 30);
  expect(photos.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, i) => 30 + i));
  expect([...photos, ...planned].every(({ atMs }) => atMs >= 0 && atMs < 1_000)).toBe(true);
});

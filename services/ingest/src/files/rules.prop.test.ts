import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fenceOf, noFence } from '../jobs/fence.js';
import { afterOutcome, causes, isFinal, next, states, type Cause, type Standing, type State, type Verdict } from './rules.js';

const state = fc.constantFrom(...states);
const cause = fc.constantFrom(...causes);
const walk = (from: State, path: readonly Cause[]): State => path.reduce((at, by) => next(at, by) ?? at, from);
const verdict = fc.record({ cause: fc.constantFrom('succeeded', 'failed', 'cancelled'), generation: fc.integer({ min: 1, max: 3 }), fence: fc.bigInt(1n, 50n).map(fenceOf) });
const apply = (card: Standing, verdicts: readonly Verdict[]): Standing => verdicts.reduce((at, by) => afterOutcome(at, by) ?? at, card);

describe('the state machine of a card', () => {
  test('a deleted card never comes back, whatever happens to it', () => {
    fc.assert(fc.property(state, fc.array(cause), fc.array(cause), (from, before, after) => {
      const deleted = next(walk(from, before), 'delete') ?? 'deleted';
      expect(['deleting', 'deleted']).toContain(walk(deleted, after));
    }));
  });

  test('every card that is not deleted can be deleted', () => {
    expect(states.filter((from) => next(from, 'delete') === undefined)).toEqual(['deleting', 'deleted']);
  });

  test('nothing was ever confirmed that was not PENDING, and nothing expires that was confirmed', () => {
    expect(states.filter((from) => next(from, 'confirm') !== undefined)).toEqual(['pending']);
    expect(states.filter((from) => next(from, 'expire') !== undefined)).toEqual(['pending']);
  });

  test('a rendition is official only by an outcome: READY is reached in no other way', () => {
    expect(states.flatMap((from) => causes.filter((by) => next(from, by) === 'ready')).every((by) => by === 'succeeded')).toBe(true);
  });

  test('a card that no outcome can reach any more takes none', () => {
    fc.assert(fc.property(fc.constantFrom<State>('pending', 'expired', 'deleting', 'deleted'), verdict, (at, v) => {
      expect(afterOutcome({ state: at, generation: v.generation, outcomeFence: noFence }, v)).toBeUndefined();
    }));
  });

  test('of the outcomes of one generation the larger fence wins, in whatever order and however often they arrive', () => {
    const queued: Standing = { state: 'queued', generation: 2, outcomeFence: noFence };
    // One fence is one event: it has one verdict.
    const outcomes = fc.uniqueArray(verdict, { minLength: 1, maxLength: 8, selector: (v) => v.fence });
    const arrivals = outcomes.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }), fc.shuffledSubarray(list)));
    fc.assert(fc.property(arrivals, ([list, order, repeats]) => {
      const winner = list.filter((v) => v.generation === 2).toSorted((a, b) => Number(b.fence - a.fence))[0];
      const end = apply(queued, [...order, ...repeats]);
      expect(end.outcomeFence).toBe(winner?.fence ?? noFence);
      expect(end.state).toBe(winner === undefined ? 'queued' : next('queued', winner.cause));
    }));
  });

  test('a watcher is let go exactly where nothing happens by itself any more', () => {
    const byItself: Cause[] = ['confirm', 'expire', 'swept'];
    for (const at of states) expect(isFinal(at)).toBe(at !== 'queued' && byItself.every((by) => next(at, by) === undefined));
  });
});

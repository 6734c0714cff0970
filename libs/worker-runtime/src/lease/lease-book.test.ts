import { describe, expect, test } from 'vitest';
import { fence, lease, progress, trust } from '../testing/leases.fixture.js';
import { LeaseBook } from './lease-book.js';

const needs = { trustMs: 100, runMs: 500 };

function bookWith(...fences: number[]): LeaseBook {
  const book = new LeaseBook();
  for (const f of fences) book.admit(lease(f), trust(1000), 5000);
  return book;
}

test('a lease is held until its settlement is answered', () => {
  const book = bookWith(7);
  expect(book.heldFences()).toEqual([fence(7)]);
  book.startRun(fence(7));
  expect(book.heldFences()).toEqual([fence(7)]);
  book.startSettling(fence(7));
  expect(book.heldFences()).toEqual([fence(7)]);
  book.drop(fence(7));
  expect(book.heldFences()).toEqual([]);
});

test('a lease is settled once', () => {
  const book = bookWith(7);
  book.startSettling(fence(7));
  expect(() => book.startSettling(fence(7))).toThrow('settling');
  expect(() => book.startRun(fence(7))).toThrow('settling');
});

test('a fence that is answered twice is held once', () => {
  const book = bookWith(7);
  expect(book.admit(lease(7), trust(9000), 9000)).toBeUndefined();
  expect(book.count('prefetched')).toBe(1);
});

test('leases start in claim order', () => {
  const book = bookWith(9, 3);
  expect(book.nextPrefetched()?.lease.fence).toBe(fence(9));
});

test('a later lease of the same enqueue proves an earlier one lost, a settling one excepted', () => {
  const book = bookWith(7);
  const later = lease(8, { enqueueId: 7n });
  expect(book.supersededBy(later)?.lease.fence).toBe(fence(7));
  expect(book.supersededBy(lease(6, { enqueueId: 7n }))).toBeUndefined();
  book.startSettling(fence(7));
  expect(book.supersededBy(later)).toBeUndefined();
});

describe('trust', () => {
  test('ends for a running lease at its moment, once', () => {
    const book = bookWith(7);
    book.startRun(fence(7));
    expect(book.trustEnded(999)).toEqual([]);
    expect(book.nextDeadline(needs)).toBe(1000);
    expect(book.trustEnded(1000).map((e) => e.lease.fence)).toEqual([fence(7)]);
    book.markUntrusted(fence(7));
    expect(book.trustEnded(1000)).toEqual([]);
    expect(book.nextDeadline(needs)).toBe(Infinity);
  });

  test('does not come back with a late extension', () => {
    const book = bookWith(7);
    book.startRun(fence(7));
    book.markUntrusted(fence(7));
    book.extend(fence(7), trust(9000), undefined);
    expect(book.get(fence(7))).toMatchObject({ untrusted: true, trust: trust(1000) });
    expect(book.extendable()).toEqual([]);
  });

  test('is moved by an answered extension, also to an earlier end', () => {
    const book = bookWith(7);
    book.extend(fence(7), trust(800), undefined);
    expect(book.get(fence(7))?.trust.endsAtMs).toBe(800);
  });
});

describe('a prefetched lease is not worth starting', () => {
  test('once its trust is too short', () => {
    expect(bookWith(7).overcommitted(899, needs)).toEqual([]);
    expect(bookWith(7).overcommitted(900, needs)).toHaveLength(1);
    expect(bookWith(7).nextDeadline(needs)).toBe(900);
  });

  test('once too little is left of the bound on the run', () => {
    const book = new LeaseBook();
    book.admit(lease(7), trust(9000), 5000);
    expect(book.overcommitted(4499, needs)).toEqual([]);
    expect(book.overcommitted(4500, needs)).toHaveLength(1);
  });

  test('but a running one is left alone', () => {
    const book = bookWith(7);
    book.startRun(fence(7));
    expect(book.overcommitted(999, needs)).toEqual([]);
  });
});

test('progress that was reported after the heartbeat was sent waits for the next one', () => {
  const book = bookWith(7);
  book.startRun(fence(7));
  book.report(fence(7), progress(10));
  const sent = book.get(fence(7))?.unsentProgress;
  book.report(fence(7), progress(20));
  book.extend(fence(7), trust(2000), sent);
  expect(book.get(fence(7))?.unsentProgress).toEqual(progress(20));
});

import { expect, test } from 'vitest';
import { AcquireSequence } from './sequence.js';

test('calls are numbered from 1, by one at a time', () => {
  const sequence = new AcquireSequence();
  expect(sequence.next(3).seq).toBe(1n);
  sequence.close();
  expect(sequence.next(3).seq).toBe(2n);
});

test('a repeat keeps its number and asks for the same', () => {
  const sequence = new AcquireSequence();
  const first = sequence.next(3);
  expect(sequence.next(5)).toBe(first);
});

test('an open call is not counted as answered', () => {
  const sequence = new AcquireSequence();
  sequence.next(3);
  expect(sequence.answeredSeq).toBe(0n);
  sequence.close();
  expect(sequence.answeredSeq).toBe(1n);
  sequence.next(3);
  expect(sequence.answeredSeq).toBe(1n);
});

import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import type { PhotoResult } from './photo.js';
import { allReady, resultTable, summary } from './report.js';

const colours = picocolors.createColors(false);
const ready: PhotoResult = {
  photo: { path: '/a/sea.jpg', label: 'sea.jpg' }, attempt: 1, ms: 1200,
  end: { ready: true, before: { bytes: 3_000_000, width: 4000, height: 3000 }, after: { bytes: 60_000, width: 1600, height: 1200 }, file: '/data/results/sea.webp' },
};
const rejected: PhotoResult = { photo: { path: '/a/notes.txt', label: 'notes.txt' }, attempt: 1, ms: 300, end: { ready: false, word: 'REJECTED', reason: 'UNSUPPORTED_FORMAT', explanation: 'No picture.' } };

test('a row says what was, what is, and where; below stands what was not made, and why', () => {
  const [head, made, , headBelow, notMade] = resultTable([ready, rejected], '.leasehold/results', colours).split('\n').map((line) => line.trim().split(/\s{2,}/));
  expect(head).toEqual(['photo', 'before', 'after', 'file in .leasehold/results']);
  expect(made).toEqual(['sea.jpg', '3 MB 4000x3000', '→', '60 kB 1600x1200', 'sea.webp']);
  expect(headBelow).toEqual(['not made', 'why']);
  expect(notMade).toEqual(['notes.txt', 'REJECTED', 'UNSUPPORTED_FORMAT: No picture.']);
});

test('the summary counts what is not READY, and one such is enough to fail', () => {
  expect([allReady([ready, ready]), allReady([ready, rejected])]).toEqual([true, false]);
  expect(summary([ready, ready], 1000)).toBe('2 of 2 READY in 1.0 s (2.0 images/s)');
  expect(summary([ready, rejected], 2000)).toBe('1 of 2 READY in 2.0 s (0.5 images/s); 1 not');
  expect(summary([rejected], 2000)).toBe('0 of 1 READY in 2.0 s; 1 not');
});

import { FileState, type File } from '@leasehold/client';
import { File as FileMessage } from '@leasehold/ingest-v1';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Course } from './course.js';
import type { PhotoState } from './photo.js';

let shown: PhotoState[];
let course: Course;
beforeEach(() => {
  vi.useFakeTimers();
  shown = [];
  course = new Course((state) => shown.push(state));
});
afterEach(() => vi.useRealTimers());

const card = (state: FileState, progress: Partial<NonNullable<File['progress']>>): File => FileMessage.create({ state, progress: { attempt: 0, maxAttempts: 3, percent: 0, stage: '', ...progress } });

test('a photo whose outcome is on its way does not look as if it were queued again', () => {
  course.heard(card(FileState.PROCESSING, { attempt: 1, percent: 90, stage: 'storing' }));
  course.heard(card(FileState.QUEUED, { attempt: 1 }));
  vi.advanceTimersByTime(900);
  course.heard(FileMessage.create({ state: FileState.READY }));
  vi.advanceTimersByTime(5_000);
  expect(shown.map(({ word }) => word)).toEqual(['PROCESSING']);
});

test('a photo that waits for another attempt does', () => {
  course.heard(card(FileState.PROCESSING, { attempt: 1, percent: 90, stage: 'storing' }));
  course.heard(card(FileState.QUEUED, { attempt: 1 }));
  vi.advanceTimersByTime(1_000);
  course.heard(card(FileState.PROCESSING, { attempt: 2, percent: 0, stage: 'fetching' }));
  expect(shown.map(({ word, attempt }) => `${word} ${attempt}`)).toEqual(['PROCESSING 1', 'QUEUED 1', 'PROCESSING 2']);
  expect(course.attempt).toBe(2);
});

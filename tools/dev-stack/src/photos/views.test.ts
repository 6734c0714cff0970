import { PassThrough } from 'node:stream';
import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { LiveView } from './live-view.js';
import type { Photo, PhotoResult } from './photo.js';
import { PlainView } from './plain-view.js';

const colours = picocolors.createColors(false);
const sea: Photo = { path: '/a/sea.jpg', label: 'sea.jpg' };
const ended: PhotoResult = { photo: sea, attempt: 2, ms: 1234, end: { ready: false, word: 'REJECTED', reason: 'TRUNCATED', explanation: '' } };

test('without a terminal there is a line for each change of state or attempt, and none for progress within', () => {
  const lines: string[] = [];
  const view = new PlainView({ colours, live: undefined, line: (text = '') => lines.push(text), failure: () => undefined }, [sea]);
  view.changed(sea, { word: 'QUEUED', attempt: 0, percent: 0, stage: '' });
  for (const percent of [20, 30, 90]) view.changed(sea, { word: 'PROCESSING', attempt: 1, percent, stage: `at ${percent}` });
  view.changed(sea, { word: 'PROCESSING', attempt: 2, percent: 0, stage: '' });
  view.ended(ended);
  expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
    ['sea.jpg', 'QUEUED'], ['sea.jpg', 'PROCESSING', 'attempt 1'], ['sea.jpg', 'PROCESSING', 'attempt 2'], ['sea.jpg', 'REJECTED', 'attempt 2', '1.2 s', 'TRUNCATED', '(1/1)'],
  ]);
});

test('on a terminal what has ended stays as a line, and the cursor comes back', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const view = new LiveView(stream, colours, [sea], 4);
  view.changed(sea, { word: 'PROCESSING', attempt: 2, percent: 30, stage: 'encoding' });
  view.ended(ended);
  view.close();
  view.close();
  await new Promise((resolve) => stream.end(resolve));
  const text = Buffer.concat(chunks).toString();
  expect(text.match(/sea\.jpg +REJECTED +attempt 2 +1\.2 s +TRUNCATED/g)).toHaveLength(1);
  expect(text.lastIndexOf('\u001B[?25h')).toBeGreaterThan(text.lastIndexOf('\u001B[?25l'));
});

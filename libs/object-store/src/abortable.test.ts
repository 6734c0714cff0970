import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortable } from './abortable.js';
import { chunks, collect, stallingSource } from './conformance/subject.js';

test('an abort ends the wait for a source that hangs, and closes it', async () => {
  const source = stallingSource(Buffer.from('x'));
  const caller = new AbortController();
  const outcome = expect(collect(abortable(source.body, caller.signal))).rejects.toThrow('enough');
  await source.stalled;
  caller.abort(new Error('enough'));
  await outcome;
  await source.closed;
});

test('a reader that leaves early closes the source', async () => {
  const source = stallingSource(Buffer.from('x'));
  for await (const chunk of abortable(source.body, new AbortController().signal)) {
    expect(chunk).toHaveLength(1);
    break;
  }
  await source.closed;
});

test('without an abort everything comes through, and the signal keeps no listener', async () => {
  const { signal } = new AbortController();
  expect(Buffer.concat(await collect(abortable(chunks('a', 'b'), signal))).toString()).toBe('ab');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

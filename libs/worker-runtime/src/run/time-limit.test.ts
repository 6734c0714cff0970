import { ManualClock } from '@leasehold/service';
import { expect, test } from 'vitest';
import { withinTime } from './time-limit.js';

const late = (): Error => new Error('too late');

const untilAborted = (signal: AbortSignal): Promise<never> => new Promise((_, reject) => {
  signal.addEventListener('abort', () => reject(signal.reason));
});

test('what takes too long ends with the reason given for that', async () => {
  const clock = new ManualClock();
  const outcome = withinTime({ clock, limitMs: 1000, signal: new AbortController().signal, late }, untilAborted).catch((error: unknown) => error);
  await clock.advance(999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await outcome).toHaveProperty('message', 'too late');
});

test('a run that is told to stop ends with the reason given', async () => {
  const stop = new AbortController();
  const outcome = withinTime({ clock: new ManualClock(), limitMs: 1000, signal: stop.signal, late }, untilAborted).catch((error: unknown) => error);
  const reason = new Error('the lease was lost');
  stop.abort(reason);
  expect(await outcome).toBe(reason);
});

test('what ends in time leaves no timer behind', async () => {
  const clock = new ManualClock();
  expect(await withinTime({ clock, limitMs: 1000, signal: new AbortController().signal, late }, async () => 7)).toBe(7);
  expect(clock.pending).toBe(0);
});

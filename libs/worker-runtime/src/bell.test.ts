import { expect, test } from 'vitest';
import { ManualClock } from '@leasehold/service';
import { Bell } from './bell.js';

function sleeper() {
  const clock = new ManualClock();
  const bell = new Bell(clock);
  const waiter = bell.waiter();
  return { clock, bell, waiter };
}

test('rings wake a sleeping loop, with one timer for all of its waits, which goes with the bell', async () => {
  const { clock, bell, waiter } = sleeper();
  for (const atMs of [1000, 1500, 2000, Infinity]) {
    const woken = waiter.until(atMs);
    bell.ring();
    await woken;
  }
  expect(clock.pending).toBe(1);
  bell.close();
  expect(clock.pending).toBe(0);
});

test('a loop that is to wake earlier than it thought does', async () => {
  const { clock, bell, waiter } = sleeper();
  const first = waiter.until(1000);
  bell.ring();
  await first;
  const woken = waiter.until(500);
  await clock.advance(500);
  await woken;
  expect(clock.pending).toBe(0);
});

test('the timer of an earlier wait keeps no later one from its own time', async () => {
  const { clock, bell, waiter } = sleeper();
  const first = waiter.until(500);
  bell.ring();
  await first;
  const early = waiter.until(1000);
  await clock.advance(500);
  await early;
  let awake = false;
  const woken = waiter.until(1000).then(() => (awake = true));
  await clock.advance(499);
  expect(awake).toBe(false);
  await clock.advance(1);
  await woken;
});

test('a ring while the loop is awake is not lost', async () => {
  const { bell, waiter } = sleeper();
  bell.ring();
  await expect(waiter.until(Infinity)).resolves.toBeUndefined();
});

test('a loop wakes by itself at its time', async () => {
  const { clock, waiter } = sleeper();
  let awake = false;
  const woken = waiter.until(1000).then(() => (awake = true));
  await clock.advance(999);
  expect(awake).toBe(false);
  await clock.advance(1);
  await woken;
});

test('one ring wakes every loop', async () => {
  const { bell, waiter } = sleeper();
  const other = bell.waiter();
  const woken = [waiter.until(Infinity), other.until(Infinity)];
  bell.ring();
  await Promise.all(woken);
});

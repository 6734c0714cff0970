import { expect, test } from 'vitest';
import { ManualClock } from '@leasehold/service';
import { Bell } from './bell.js';

function sleeper() {
  const clock = new ManualClock();
  const bell = new Bell(clock);
  const waiter = bell.waiter();
  return { clock, bell, waiter };
}

test('a ring wakes a sleeping loop and leaves no timer behind', async () => {
  const { clock, bell, waiter } = sleeper();
  const woken = waiter.until(1000);
  bell.ring();
  await woken;
  expect(clock.pending).toBe(0);
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

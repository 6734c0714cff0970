import { expect, test } from 'vitest';
import { ManualClock, systemClock } from './clock.js';

test('a manual clock wakes waits in the order in which they fall due', async () => {
  const clock = new ManualClock();
  const woken: string[] = [];
  void clock.wait(30).then(() => woken.push(`late at ${clock.now()}`));
  void clock.wait(10).then(() => woken.push(`early at ${clock.now()}`));
  await clock.advance(29);
  expect(woken).toEqual(['early at 10']);
  await clock.advance(1);
  expect(woken).toEqual(['early at 10', 'late at 30']);
  expect(clock.pending).toBe(0);
});

test('a wait that is added by woken code within the span is served in the same advance', async () => {
  const clock = new ManualClock();
  const ticks: number[] = [];
  void (async () => {
    for (;;) {
      await clock.wait(10);
      ticks.push(clock.now());
    }
  })();
  await clock.advance(35);
  expect(ticks).toEqual([10, 20, 30]);
  expect(clock.now()).toBe(35);
});

test.each([['manual', new ManualClock()], ['system', systemClock]])('an abort ends a wait of the %s clock with an AbortError and leaves nothing behind', async (_name, clock) => {
  const aborter = new AbortController();
  const waiting = clock.wait(60_000, aborter.signal);
  aborter.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect(clock.wait(60_000, aborter.signal)).rejects.toMatchObject({ name: 'AbortError' });
  if (clock instanceof ManualClock) expect(clock.pending).toBe(0);
});

test('the system clock does not go back while it waits', async () => {
  const before = systemClock.now();
  await systemClock.wait(0);
  await systemClock.wait(-5);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

test('a wait that is longer than a timer can be does not end at once', async () => {
  const aborter = new AbortController();
  let ended = false;
  const waiting = systemClock.wait(2 ** 40, aborter.signal).then(() => { ended = true; }, () => undefined);
  await systemClock.wait(5);
  expect(ended).toBe(false);
  aborter.abort();
  await waiting;
});

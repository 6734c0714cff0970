import { expect, test } from 'vitest';
import { receive } from './signals.js';
import { Wakeups } from './wakeups.js';

const never = new AbortController().signal;
/** Long enough to count as never: a test that needs it would time out. */
const longMs = 1_000_000;

test('a wake-up between looking and waiting is not missed', async () => {
  const wakeups = new Wakeups();
  const subscription = wakeups.subscribe('due image');
  wakeups.wake('due image');
  await subscription.wait(longMs, never);
});

test('a wake-up counts once, and only for its topic', async () => {
  const wakeups = new Wakeups();
  const subscription = wakeups.subscribe('due image');
  wakeups.wake('due image');
  await subscription.wait(longMs, never);
  wakeups.wake('due import');
  let ended = false;
  const waiting = subscription.wait(longMs, never).then(() => (ended = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toBe(false);
  wakeups.wake('due image');
  await waiting;
});

test('a wait ends with its time and with its signal', async () => {
  const subscription = new Wakeups().subscribe('change');
  await subscription.wait(1, never);
  await subscription.wait(longMs, AbortSignal.abort());
});

test('what another coordinator sends wakes its topics, and nonsense wakes nobody', async () => {
  const wakeups = new Wakeups();
  const due = wakeups.subscribe('due image');
  const change = wakeups.subscribe('change');
  receive(wakeups, 'nonsense,due image,change');
  await due.wait(longMs, never);
  await change.wait(longMs, never);
});

test('after notifications may have been missed everybody looks again', async () => {
  const wakeups = new Wakeups();
  const all = [wakeups.subscribe('due image'), wakeups.subscribe('outcome image'), wakeups.subscribe('change')];
  wakeups.wakeAll();
  for (const each of all) await each.wait(longMs, never);
});


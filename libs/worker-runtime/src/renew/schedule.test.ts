import { describe, expect, test } from 'vitest';
import { held, progress, trust } from '../testing/leases.fixture.js';
import { callsOf, deadlineFor, extensionsAt, nextHeartbeatAt } from './schedule.js';

const beats = { plan: { everyMs: 400, deadlineMs: 300 }, lastSentAtMs: 1000, progressEveryMs: 50 };

describe('the next heartbeat is sent', () => {
  test('as a sign of life when nothing is held', () => {
    expect(nextHeartbeatAt([], beats)).toBe(1400);
  });

  test('when the first lease is due', () => {
    expect(nextHeartbeatAt([held(1, { trust: trust(2000, 1200) }), held(2, { trust: trust(2100, 1200) })], beats)).toBe(1200);
  });

  test('earlier for new progress, but not at once', () => {
    expect(nextHeartbeatAt([held(1, { trust: trust(9000), unsentProgress: progress(10) })], beats)).toBe(1050);
  });
});

describe('a heartbeat extends', () => {
  const early = held(1, { trust: trust(2000, 1200) });
  const late = held(2, { trust: trust(2100, 1200) });
  const moving = held(3, { trust: trust(2100, 1200), unsentProgress: progress(10) });

  test('all leases once one is due', () => {
    expect(extensionsAt(1200, [early, late], beats)).toEqual([early, late]);
  });

  test('only those with progress to show between renewals', () => {
    expect(extensionsAt(1100, [early, late, moving], beats)).toEqual([moving]);
  });
});

describe('the answer is waited for', () => {
  test('a quarter of the lease time', () => {
    expect(deadlineFor([held(1, { trust: trust(9000, 1200) })], beats.plan)).toBe(300);
  });

  test('not longer than a quarter of the shortest lease, which may be newer than the policy known here', () => {
    const plan = { everyMs: 40_000, deadlineMs: 30_000 };
    expect(deadlineFor([held(1, { trust: trust(9000, 120_000) }), held(2, { trust: trust(9000, 2000) })], plan)).toBe(500);
  });

  test('long enough for a healthy coordinator, whatever is left of a lease', () => {
    expect(deadlineFor([held(1, { trust: trust(9000, 40) })], beats.plan)).toBe(250);
  });
});

test('a heartbeat is cut into calls of what the edge allows', () => {
  const many = Array.from({ length: 1025 }, (_, i) => held(i + 1));
  expect(callsOf(many).map((call) => call.length)).toEqual([512, 512, 1]);
});

test('a heartbeat without leases is still one call', () => {
  expect(callsOf([])).toEqual([[]]);
});

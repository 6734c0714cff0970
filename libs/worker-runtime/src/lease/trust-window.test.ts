import { expect, test } from 'vitest';
import { extendedWindow, grantedWindow, isTrusted } from './trust-window.js';

test('trust in a granted lease ends at sent + granted_after + ttl - margin', () => {
  const window = grantedWindow({ sentAtMs: 1000, grantedAfterMs: 250, ttlMs: 1200, marginMs: 100 });
  expect(window.endsAtMs).toBe(2350);
  expect(isTrusted(window, 2349.9)).toBe(true);
  expect(isTrusted(window, 2350)).toBe(false);
});

test('trust in an extended lease ends at sent + ttl - margin', () => {
  expect(extendedWindow({ sentAtMs: 1000, ttlMs: 1200, marginMs: 100 }).endsAtMs).toBe(2100);
});

test('an extension is due a third into what was granted', () => {
  expect(grantedWindow({ sentAtMs: 1000, grantedAfterMs: 250, ttlMs: 1200, marginMs: 100 }).renewAtMs).toBe(1650);
});

test('a lease in its last moments is not renewed in a tight loop', () => {
  expect(extendedWindow({ sentAtMs: 1000, ttlMs: 3, marginMs: 100 }).renewAtMs).toBe(1100);
});

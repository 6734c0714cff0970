import { describe, expect, test } from 'vitest';
import { held, trust } from '../testing/leases.fixture.js';
import { SETTLE_MEMORY_MS, SettleOutbox, type Batch } from './outbox.js';
import type { SettlementContent } from './settlement.js';

const complete = (bytes = 1): SettlementContent => ({ verb: 'complete', result: Buffer.alloc(bytes) });
const after = (ms: number) => ({ refused: false, delayMs: () => ms });
const contents = (batch: Batch | undefined) => batch?.settlements.map((s) => s.content);

function outboxWith(...contents_: SettlementContent[]): SettleOutbox {
  const outbox = new SettleOutbox();
  contents_.forEach((content, i) => outbox.submit(held(i + 1, { phase: 'settling' }), content));
  return outbox;
}

/** What is sent at a moment; fails the test when nothing is. */
function sentAt(outbox: SettleOutbox, nowMs: number): Batch {
  const batch = outbox.take(nowMs);
  if (batch === undefined) throw new Error(`nothing is sent at ${nowMs}`);
  return batch;
}

test('what is decided while a call is under way goes together with the next', () => {
  const outbox = outboxWith(complete());
  sentAt(outbox, 0);
  outbox.submit(held(2), complete());
  outbox.submit(held(3), complete());
  expect(outbox.take(1)?.settlements.map((s) => s.fence)).toEqual([2n, 3n]);
});

test('a settlement on its way is in no other call', () => {
  const outbox = outboxWith(complete());
  sentAt(outbox, 0);
  expect(outbox.take(0)).toBeUndefined();
  expect(outbox.nextAt()).toBe(Infinity);
});

describe('a settlement that was not answered', () => {
  test('is repeated with the same content, also after trust has ended', () => {
    const outbox = outboxWith(complete());
    const first = sentAt(outbox, 999);
    expect(contents(first)).toEqual([complete()]);
    outbox.failed(first, 1000, after(50));
    expect(outbox.take(1049)).toBeUndefined();
    expect(outbox.nextAt()).toBe(1050);
    expect(contents(outbox.take(1050))).toEqual([complete()]);
  });

  test('is given up when the coordinator may have forgotten the first one, not before', () => {
    const outbox = outboxWith(complete());
    let batch = sentAt(outbox, 500);
    expect(outbox.failed(batch, 1000, after(SETTLE_MEMORY_MS - 501))).toEqual([]);
    batch = sentAt(outbox, SETTLE_MEMORY_MS + 499);
    expect(outbox.failed(batch, SETTLE_MEMORY_MS + 499, after(1)).map((s) => s.fence)).toEqual([1n]);
    expect(outbox.nextAt()).toBe(Infinity);
  });

  test('is delayed by how often it failed in a row', () => {
    const outbox = outboxWith(complete());
    const failures: number[] = [];
    const o = { refused: false, delayMs: (n: number) => { failures.push(n); return 0; } };
    outbox.failed(sentAt(outbox, 0), 0, o);
    outbox.failed(sentAt(outbox, 0), 0, o);
    expect(failures).toEqual([1, 2]);
  });
});

describe('a settlement that is first sent after trust has ended', () => {
  test('is not sent as complete', () => {
    expect(contents(outboxWith(complete()).take(1000))).toEqual([{ verb: 'fail', reason: 'INTERNAL', faultClass: 'technical' }]);
  });

  test('is sent as it is when it hands back', () => {
    const release: SettlementContent = { verb: 'release', cause: 'overcommitted' };
    expect(contents(outboxWith(release).take(1000))).toEqual([release]);
  });
});

test('a call holds no more settlements than the edge allows', () => {
  const outbox = outboxWith(...Array.from({ length: 513 }, () => complete()));
  expect(outbox.take(0)?.settlements).toHaveLength(512);
  expect(outbox.take(0)?.settlements).toHaveLength(1);
});

test('a call stays below the usual limit on received messages', () => {
  const outbox = outboxWith(...Array.from({ length: 9 }, () => complete(256 * 1024)));
  expect(outbox.take(0)?.settlements).toHaveLength(7);
});

test('after a call was refused as a whole, its settlements go one by one', () => {
  const outbox = outboxWith(complete(), complete());
  outbox.failed(sentAt(outbox, 0), 0, { refused: true, delayMs: () => 0 });
  outbox.submit(held(3, { trust: trust(1000) }), complete());
  expect(outbox.take(0)?.settlements.map((s) => s.fence)).toEqual([1n]);
  expect(outbox.take(0)?.settlements.map((s) => s.fence)).toEqual([2n]);
  expect(outbox.take(0)?.settlements.map((s) => s.fence)).toEqual([3n]);
});

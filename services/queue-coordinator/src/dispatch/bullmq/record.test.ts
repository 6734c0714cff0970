import { createRequire } from 'node:module';
import { QueueKeys } from 'bullmq';
import { expect, test } from 'vitest';
import { bullPriority, enqueueIdOf, keyPrefix, lockToken, queueName, recordId } from './record.js';

// The function of the client that routes commands to the nodes of a Cluster.
const slotOf: (key: string) => number = createRequire(import.meta.resolve('ioredis'))('cluster-key-slot');

test('an enqueue id goes into a record id and back, and nothing else does', () => {
  for (const id of [1n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n]) expect(enqueueIdOf(recordId(id))).toBe(id);
  expect(['', 'e', 'e0', 'e01', 'e-1', '1', 'x1', 'e1:lock', 'repeat:1'].map(enqueueIdOf)).toEqual(Array.from({ length: 9 }, () => undefined));
});

test('all keys of a prefix lie in one hash slot, whatever the contract and the record', () => {
  const keys = new QueueKeys(keyPrefix('leasehold'));
  const names = [queueName('import', 1), queueName('import', 2), queueName('image', 1)];
  const all = [...names.flatMap((name) => [...Object.values(keys.getKeys(name)), keys.toKey(name, recordId(12n)), `${keys.toKey(name, recordId(12n))}:lock`]), `${keyPrefix('leasehold')}:marker`];
  expect(all.length).toBeGreaterThan(30);
  expect(new Set(all.map(slotOf))).toEqual(new Set([slotOf('leasehold')]));
});

test('our highest priority is BullMQ\'s lowest number, and none is its 0', () => {
  expect([9, 5, 0].map(bullPriority)).toEqual([1, 5, 10]);
});

test('a lock is the lease token in hexadecimal', () => {
  expect(lockToken(Uint8Array.of(0, 255, 16))).toBe('00ff10');
});

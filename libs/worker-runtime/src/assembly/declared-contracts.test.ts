import { ConfigError } from '@leasehold/service';
import { expect, test } from 'vitest';
import type { JobHandler } from '../run/job-handler.js';
import { declaring } from './declared-contracts.js';

const codec = { decode: (payload: Uint8Array) => payload };
const handler: JobHandler<Uint8Array> = { kind: 'image', contracts: new Map([[1, codec], [2, codec]]), run: async ({ model }) => model };

test('V1: a worker declares all that it reads, or what it is told to declare of it', () => {
  expect([...declaring(handler, undefined).contracts.keys()]).toEqual([1, 2]);
  expect([...declaring(handler, [2]).contracts.keys()]).toEqual([2]);
});

test('a worker cannot be told to declare what it does not read', () => {
  expect(() => declaring(handler, [1, 3])).toThrow(ConfigError);
  expect(() => declaring(handler, [1, 3])).toThrow(/LEASEHOLD_CONTRACTS[^]*3[^]*1, 2/);
});

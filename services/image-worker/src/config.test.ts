import { availableParallelism } from 'node:os';
import { ConfigError } from '@leasehold/service';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const needed = { LEASEHOLD_COORDINATORS: '127.0.0.1:7400, 127.0.0.1:7402', LEASEHOLD_STORE_DIR: '/store' };

test('only the coordinators and the store must be named', () => {
  const config = readConfig(needed);
  expect(config).toMatchObject({ coordinators: ['127.0.0.1:7400', '127.0.0.1:7402'], storeDirectory: '/store', concurrency: availableParallelism() });
  expect(config.limits).toEqual({ maxBytes: 67_108_864, maxPixels: 100_000_000, maxFrames: 1000 });
});

test('what is missing is named', () => {
  expect(() => readConfig({})).toThrow(/LEASEHOLD_COORDINATORS[^]*LEASEHOLD_STORE_DIR/);
});

test('bounds on a picture\'s process are read, and memory that not even Node could live on is refused', () => {
  expect(readConfig({ ...needed, LEASEHOLD_IMAGE_RENDER_TIMEOUT: '1500ms', LEASEHOLD_IMAGE_MAX_MEMORY: '400000000' })).toMatchObject({ renderTimeoutMs: 1500, renderMemoryBytes: 400_000_000 });
  expect(() => readConfig({ ...needed, LEASEHOLD_IMAGE_MAX_MEMORY: '1000000' })).toThrow(/LEASEHOLD_IMAGE_MAX_MEMORY/);
});

test('a stop that would cut running jobs off is refused', () => {
  expect(readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '45s' }).stopTimeoutMs).toBe(50_000);
  expect(() => readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '46s' })).toThrow(ConfigError);
});

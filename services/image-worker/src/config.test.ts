import { availableParallelism } from 'node:os';
import { ConfigError } from '@leasehold/service';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const needed = { LEASEHOLD_COORDINATORS: '127.0.0.1:7400, 127.0.0.1:7402', LEASEHOLD_STORE_DIR: '/store' };

test('only the coordinators and the store must be named', () => {
  const config = readConfig(needed);
  expect(config).toMatchObject({ coordinators: ['127.0.0.1:7400', '127.0.0.1:7402'], storeDirectory: '/store', concurrency: availableParallelism() });
  expect(config.limits).toEqual({ maxBytes: 67_108_864, maxPixels: 100_000_000, maxFrames: 1000, renderTimeoutSeconds: 30 });
});

test('what is missing is named', () => {
  expect(() => readConfig({})).toThrow(/LEASEHOLD_COORDINATORS[^]*LEASEHOLD_STORE_DIR/);
});

test('a time to render that is no whole number of seconds is rounded up', () => {
  expect(readConfig({ ...needed, LEASEHOLD_IMAGE_RENDER_TIMEOUT: '1500ms' }).limits.renderTimeoutSeconds).toBe(2);
});

test('a stop that would cut running jobs off is refused', () => {
  expect(readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '45s' }).stopTimeoutMs).toBe(50_000);
  expect(() => readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '46s' })).toThrow(ConfigError);
});

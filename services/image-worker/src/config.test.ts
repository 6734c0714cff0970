import { availableParallelism } from 'node:os';
import { ConfigError } from '@leasehold/service';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const needed = { LEASEHOLD_COORDINATORS: '127.0.0.1:7400, 127.0.0.1:7402', LEASEHOLD_STORE: '/store' };

test('only the coordinators and the store must be named', () => {
  const config = readConfig(needed);
  expect(config).toMatchObject({ coordinators: ['127.0.0.1:7400', '127.0.0.1:7402'], store: { kind: 'embedded', directory: '/store' }, concurrency: availableParallelism() });
  expect(config.limits).toEqual({ maxBytes: 67_108_864, maxPixels: 100_000_000, maxSide: 65_535, maxFrames: 1000 });
});

test('what is missing is named', () => {
  expect(() => readConfig({})).toThrow(/LEASEHOLD_COORDINATORS[^]*LEASEHOLD_STORE is not set/);
});

test('the store is a directory, by its old name too, or an S3 with keys', () => {
  const { LEASEHOLD_STORE: directory, ...others } = needed;
  expect(readConfig({ ...others, LEASEHOLD_STORE_DIR: directory }).store).toEqual({ kind: 'embedded', directory });
  const s3 = { ...others, LEASEHOLD_STORE: 's3+https://s3.example.net/photos' };
  expect(() => readConfig(s3)).toThrow(/LEASEHOLD_S3_ACCESS_KEY_ID is not set[^]*LEASEHOLD_S3_SECRET_ACCESS_KEY is not set/);
  expect(readConfig({ ...s3, LEASEHOLD_S3_ACCESS_KEY_ID: 'a', LEASEHOLD_S3_SECRET_ACCESS_KEY: 'b' }).store).toMatchObject({ kind: 's3', bucket: 'photos' });
});

test('bounds on a picture\'s process are read, and memory that not even Node could live on is refused', () => {
  expect(readConfig({ ...needed, LEASEHOLD_IMAGE_RENDER_TIMEOUT: '1500ms', LEASEHOLD_IMAGE_MAX_MEMORY: '400000000' })).toMatchObject({ renderTimeoutMs: 1500, renderMemoryBytes: 400_000_000 });
  expect(() => readConfig({ ...needed, LEASEHOLD_IMAGE_MAX_MEMORY: '1000000' })).toThrow(/LEASEHOLD_IMAGE_MAX_MEMORY/);
});

test('a stop that would cut running jobs off is refused', () => {
  expect(readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '45s' }).stopTimeoutMs).toBe(50_000);
  expect(() => readConfig({ ...needed, LEASEHOLD_DRAIN_TIMEOUT: '46s' })).toThrow(ConfigError);
});

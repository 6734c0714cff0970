import { ConfigError } from '@leasehold/service';
import { describe, expect, test } from 'vitest';
import { readConfig, windowsOf } from './config.js';

const minute = 60_000;
const needed = {
  LEASEHOLD_RECORDS_DATABASE_URL: 'postgresql://leasehold@127.0.0.1:7432/records',
  LEASEHOLD_COORDINATORS: '127.0.0.1:7400, 127.0.0.1:7402',
  LEASEHOLD_STORE: '/tmp/objects',
  LEASEHOLD_SIGNING_SECRET: 'x'.repeat(32),
  LEASEHOLD_PUBLIC_URL: 'http://127.0.0.1:7411',
};

describe('the configuration', () => {
  test('needs five variables; all others have defaults', () => {
    expect(readConfig(needed)).toMatchObject({
      grpc: { host: '127.0.0.1', port: 7410 }, http: { port: 7411 }, coordinator: { addresses: ['127.0.0.1:7400', '127.0.0.1:7402'] }, limits: { maxUploadBytes: 64 * 1024 * 1024 },
    });
    for (const missing of Object.keys(needed)) expect(() => readConfig({ ...needed, [missing]: undefined })).toThrow(new RegExp(`${missing} is not set`));
  });

  test('the store is a directory, by its old name too, or an S3 with keys', () => {
    const { LEASEHOLD_STORE: directory, ...others } = needed;
    expect(readConfig({ ...others, LEASEHOLD_STORE_DIR: directory }).store.settings).toEqual({ kind: 'embedded', directory });
    const s3 = { ...others, LEASEHOLD_STORE: 's3+https://s3.example.net/photos' };
    expect(() => readConfig(s3)).toThrow(/LEASEHOLD_S3_ACCESS_KEY_ID is not set[^]*LEASEHOLD_S3_SECRET_ACCESS_KEY is not set/);
    expect(readConfig({ ...s3, LEASEHOLD_S3_ACCESS_KEY_ID: 'a', LEASEHOLD_S3_SECRET_ACCESS_KEY: 'b' }).store.settings).toMatchObject({ kind: 's3', bucket: 'photos' });
  });

  test('a secret that is too short is refused without being shown, also behind a good one', () => {
    for (const secret of ['short', `${'x'.repeat(32)},short`]) {
      expect(() => readConfig({ ...needed, LEASEHOLD_SIGNING_SECRET: secret })).toThrow(ConfigError);
      expect(() => readConfig({ ...needed, LEASEHOLD_SIGNING_SECRET: secret })).not.toThrow(/short/);
    }
  });

  test('the safety interval covers the longest run, a lease, the longest URL life and a store write', () => {
    const config = readConfig({ ...needed, LEASEHOLD_UPLOAD_URL_LIFE: '5m', LEASEHOLD_DOWNLOAD_URL_LIFE: '20m', LEASEHOLD_JOB_MAX_RUN: '7m', LEASEHOLD_JOB_LEASE: '1m', LEASEHOLD_STORE_TIMEOUT: '2m' });
    expect(config.windows).toEqual({ uploadMs: 22 * minute, writeMs: 30 * minute });
    expect(config.limits).toMatchObject({ uploadWindowMs: 22 * minute, writeWindowMs: 30 * minute, uploadTimeoutMs: 2 * minute });
    expect(windowsOf({ maxRunMs: 1, leaseMs: 2, longestUrlLifeMs: 4, storeTimeoutMs: 8 })).toEqual({ uploadMs: 12, writeMs: 15 });
  });

  test('cannot be changed after it was read', () => {
    expect(Object.isFrozen(readConfig(needed))).toBe(true);
  });
});

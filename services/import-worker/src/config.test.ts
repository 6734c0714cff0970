import { defaultLimits } from '@leasehold/shipment-csv';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const needed = { LEASEHOLD_COORDINATORS: '127.0.0.1:7400,127.0.0.1:7402', LEASEHOLD_STORE: '/store', LEASEHOLD_RECORDS_DATABASE_URL: 'postgresql://worker@127.0.0.1:7432/records' };

test('only the coordinators, the store and the database must be named', () => {
  expect(readConfig(needed)).toMatchObject({
    coordinators: ['127.0.0.1:7400', '127.0.0.1:7402'], store: { kind: 'embedded', directory: '/store' }, recordsUrl: needed.LEASEHOLD_RECORDS_DATABASE_URL,
    concurrency: 2, limits: defaultLimits, http: { port: 7431 },
  });
});

test('what is missing is named, and no secret repeated', () => {
  expect(() => readConfig({})).toThrow(/LEASEHOLD_COORDINATORS[^]*LEASEHOLD_RECORDS_DATABASE_URL is not set[^]*LEASEHOLD_STORE is not set/);
  const wrong = { ...needed, LEASEHOLD_RECORDS_DATABASE_URL: 'not a url, but hush-hush' };
  expect(() => readConfig(wrong)).toThrow(/LEASEHOLD_RECORDS_DATABASE_URL/);
  expect(() => readConfig(wrong)).not.toThrow(/hush/);
});

test('limits on files are read', () => {
  expect(readConfig({ ...needed, LEASEHOLD_SHIPMENT_MAX_ROWS: '5', LEASEHOLD_SHIPMENT_MAX_FIELD_BYTES: '70' }).limits).toEqual({ ...defaultLimits, maxRows: 5, maxFieldBytes: 70 });
});

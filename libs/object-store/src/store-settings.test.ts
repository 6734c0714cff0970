import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { storeSettings, type StoreVariables } from './store-settings.js';

const keys = { LEASEHOLD_S3_ACCESS_KEY_ID: 'AKIA', LEASEHOLD_S3_SECRET_ACCESS_KEY: 'hunter2-hunter2' };
const s3 = (location: string): ReturnType<typeof storeSettings> => storeSettings({ LEASEHOLD_STORE: location, ...keys });

test('what is no URL is a directory, by either name; the newer one counts', () => {
  for (const directory of ['/var/lib/leasehold', '.leasehold/objects', 'objects', 'C:\\objects']) {
    expect(storeSettings({ LEASEHOLD_STORE: directory })).toEqual({ settings: { kind: 'embedded', directory } });
    expect(storeSettings({ LEASEHOLD_STORE_DIR: directory })).toEqual({ settings: { kind: 'embedded', directory } });
  }
  expect(storeSettings({ LEASEHOLD_STORE: '/a', LEASEHOLD_STORE_DIR: '/b' })).toMatchObject({ settings: { directory: '/a' } });
});

test('an S3 is a host, a bucket and perhaps a region', () => {
  const bucket = { kind: 's3', bucket: 'photos', region: undefined, accessKeyId: 'AKIA', secretAccessKey: 'hunter2-hunter2' };
  expect(s3('s3+https://s3.example.net/photos')).toEqual({ settings: { ...bucket, endpoint: 'https://s3.example.net' } });
  expect(s3('s3+https://s3.example.net:8443/photos/?region=eu-west-1')).toEqual({ settings: { ...bucket, endpoint: 'https://s3.example.net:8443', region: 'eu-west-1' } });
  for (const host of ['127.0.0.1:7480', 'localhost:7480', '[::1]:7480']) expect(s3(`s3+http://${host}/photos`)).toEqual({ settings: { ...bucket, endpoint: `http://${host}` } });
});

test('plaintext stays on this machine', () => {
  for (const host of ['s3.example.net', '10.0.0.1', '127.0.0.1.example.net', 'localhost.example.net']) expect(s3(`s3+http://${host}/photos`)).toMatchObject({ problems: [{ variable: 'LEASEHOLD_STORE', problem: expect.stringContaining('s3+https://') }] });
});

test.for([
  'https://s3.example.net/photos', 's3://photos', 'file:///objects', 's3+ftp://host/photos', 's3+https://', 's3+https://host', 's3+https://host/', 's3+https://host/photos/folder',
  's3+https://AKIA:hunter2-hunter2@host/photos', 's3+https://host/photos?key=hunter2-hunter2', 's3+https://host/photos#x',
])('%s is refused without being repeated', (location) => {
  const refused = s3(location);
  expect(refused).toMatchObject({ problems: [{ variable: 'LEASEHOLD_STORE' }] });
  expect(inspect(refused)).not.toContain('hunter2');
});

test('every variable that is missing is named at once', () => {
  const missing = (v: StoreVariables): string[] => {
    const read = storeSettings(v);
    return 'problems' in read ? read.problems.map(({ variable }) => variable) : [];
  };
  expect(missing({})).toEqual(['LEASEHOLD_STORE']);
  expect(missing({ LEASEHOLD_STORE: '', LEASEHOLD_STORE_DIR: '' })).toEqual(['LEASEHOLD_STORE']);
  expect(missing({ LEASEHOLD_STORE: 's3+https://host/photos' })).toEqual(['LEASEHOLD_S3_ACCESS_KEY_ID', 'LEASEHOLD_S3_SECRET_ACCESS_KEY']);
  expect(missing({ LEASEHOLD_STORE: 's3+https://host' })).toEqual(['LEASEHOLD_STORE', 'LEASEHOLD_S3_ACCESS_KEY_ID', 'LEASEHOLD_S3_SECRET_ACCESS_KEY']);
});

import { expect, test } from 'vitest';
import { storePlace } from './store-place.js';

const keys = { LEASEHOLD_S3_ACCESS_KEY_ID: 'AKIA', LEASEHOLD_S3_SECRET_ACCESS_KEY: 'hunter2' };

test('without an S3 it is the folder, whatever the environment holds', () => {
  expect(storePlace('/data/store', undefined, { ...keys, LEASEHOLD_STORE: 's3+https://host/other' })).toEqual({ location: '/data/store', settings: { kind: 'embedded', directory: '/data/store' } });
});

test('an S3 is named as in a browser, or as services take it', () => {
  const place = { location: 's3+http://127.0.0.1:7480/photos', settings: { kind: 's3', endpoint: 'http://127.0.0.1:7480', bucket: 'photos' } };
  expect(storePlace('/data/store', 'http://127.0.0.1:7480/photos', keys)).toMatchObject(place);
  expect(storePlace('/data/store', 's3+http://127.0.0.1:7480/photos', keys)).toMatchObject(place);
});

test.for([['https://host/photos', {}, 'LEASEHOLD_S3_ACCESS_KEY_ID'], ['https://host', keys, 'the URL must name one bucket'], ['photos', keys, 'the URL must be https://host/bucket'], ['http://host/photos', keys, 'in the clear']] as const)('%s is refused in one line', ([url, env, hint]) => {
  expect(() => storePlace('/data/store', url, env)).toThrow(hint);
  expect(() => storePlace('/data/store', url, env)).not.toThrow('\n');
  expect(() => storePlace('/data/store', url, env)).not.toThrow('hunter2');
});

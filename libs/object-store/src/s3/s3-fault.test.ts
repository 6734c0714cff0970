import { S3ServiceException } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { asStoreFault } from './s3-fault.js';

const answered = (name: string, httpStatusCode: number): S3ServiceException => new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode }, message: 'https://s3.example.net/photos/uploads/secret?X-Amz-Signature=1' });

test.for([
  ['NoSuchKey', 404, 'not_found'], ['NoSuchVersion', 404, 'not_found'], ['MethodNotAllowed', 405, 'not_found'], ['EntityTooLarge', 400, 'too_large'],
  ['KeyTooLongError', 400, 'invalid'], ['InvalidURI', 400, 'invalid'], ['NotImplemented', 501, 'unsupported'],
  ['NoSuchBucket', 404, 'unavailable'], ['AccessDenied', 403, 'unavailable'], ['InvalidAccessKeyId', 403, 'unavailable'], ['SignatureDoesNotMatch', 403, 'unavailable'],
  ['RequestTimeTooSkewed', 403, 'unavailable'], ['QuotaExceeded', 403, 'unavailable'], ['SlowDown', 503, 'unavailable'], ['InternalError', 500, 'unavailable'], ['SomethingNew', 418, 'unavailable'],
] as const)('%s is %s, told by its code and status alone', ([name, status, kind]) => {
  expect(asStoreFault('get', answered(name, status))).toMatchObject({ kind, message: `get: ${name} (HTTP ${status})` });
});

test('failures of the network are unavailable, told by the system\'s code', () => {
  expect(asStoreFault('put', Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' }))).toMatchObject({ kind: 'unavailable', message: 'put: ECONNREFUSED' });
  expect(asStoreFault('put', Object.assign(new Error('slow'), { name: 'TimeoutError' }))).toMatchObject({ kind: 'unavailable', message: 'put: TimeoutError' });
  expect(asStoreFault('put', answered('a code with https://in.it', 400)).message).toBe('put: unknown (HTTP 400)');
  expect(asStoreFault('put', 'thrown text').message).toBe('put: unknown');
});

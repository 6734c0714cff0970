import { describe, expect, test } from 'vitest';
import { isSecretKey, redact, redactText } from './redact.js';

describe('fields', () => {
  test.each([
    'token', 'lease_token', 'leaseToken', 'LEASE-TOKEN', 'x-csrf-token', 'url', 'uploadUrl', 'download_url', 'Authorization', 'proxy-authorization', 'cookie',
    'Set-Cookie', 'payload', 'result', 'signingSecret', 'LEASEHOLD_SIGNING_SECRET', 'password', 'connectionString', 'apiKey', 'secretAccessKey', 'LEASEHOLD_S3_SECRET_ACCESS_KEY',
  ])('%s is hidden', (key) => {
    expect(isSecretKey(key)).toBe(true);
    expect(redact({ [key]: 'open sesame' })).toEqual({ [key]: '[redacted]' });
  });

  test.each(['event', 'fence', 'job', 'kind', 'key', 'reason', 'worker_id', 'outcome', 'tokens_left', 'results'])('%s is shown', (key) => {
    expect(redact({ [key]: 'seen' })).toEqual({ [key]: 'seen' });
  });

  test('a secret is hidden however deep it lies, in objects, lists, maps and errors', () => {
    const error = Object.assign(new Error('refused'), { request: { headers: { authorization: 'Bearer hunter2' } } });
    const hidden = redact({
      lease: { fence: 7n, leaseToken: 'hunter2' },
      leases: [{ held: { lease_token: 'hunter2' } }, [{ token: 'hunter2' }]],
      map: new Map([['url', 'hunter2']]),
      set: new Set([{ payload: { deep: 'hunter2' } }]),
      err: error,
      target: new URL('http://store/hunter2'),
    });
    expect(JSON.stringify(hidden)).not.toContain('hunter2');
    expect(hidden).toMatchObject({ lease: { fence: '7' }, leases: [{ held: { lease_token: '[redacted]' } }, [{ token: '[redacted]' }]], err: { type: 'Error', message: 'refused' } });
  });

  test('the caller keeps its object as it was', () => {
    const fields = { lease: { token: 'kept' } };
    redact(fields);
    expect(fields).toEqual({ lease: { token: 'kept' } });
  });

  test('a fence keeps every digit', () => {
    expect(redact({ fence: 9_223_372_036_854_775_807n })).toEqual({ fence: '9223372036854775807' });
  });

  test('bytes are shown by their number only', () => {
    expect(redact({ body: Buffer.from('a secret'), view: new Uint8Array(3) })).toEqual({ body: '[8 bytes]', view: '[3 bytes]' });
  });

  test('times stay readable, and an invalid one does no harm', () => {
    expect(redact({ at: new Date(0), never: new Date(Number.NaN) })).toEqual({ at: '1970-01-01T00:00:00.000Z', never: null });
  });

  test('a circle ends, and something huge is cut', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    circle['self'] = { circle };
    expect(redact({ circle })).toEqual({ circle: { name: 'a', self: { circle: '[circular]' } } });
    const huge = JSON.stringify(redact({ list: Array.from({ length: 2000 }, () => ({})) }));
    expect(huge).toContain('[cut]');
    let nested: unknown = 'bottom';
    for (let i = 0; i < 100; i += 1) nested = { nested };
    expect(JSON.stringify(redact({ nested }))).not.toContain('bottom');
  });
});

describe('text', () => {
  test.each([
    ['GET http://store:9000/b/k?X-Amz-Signature=abc&x=1 failed', 'GET http://store:9000/b/k?[redacted] failed'],
    ['connect postgres://app:hunter2@db:5432/queue now', 'connect postgres://[redacted]@db:5432/queue now'],
    ['{"msg":"see \\"https://u:p@h/x?sig=1\\" and more"}', '{"msg":"see \\"https://[redacted]@h/x?[redacted]\\" and more"}'],
    ['two: s3://a?b s3://c#d', 'two: s3://a?[redacted] s3://c?[redacted]'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  test('text without secrets stays as it is', () => {
    const text = 'listening on http://127.0.0.1:7401/metrics, why? because a@b';
    expect(redactText(text)).toBe(text);
  });
});

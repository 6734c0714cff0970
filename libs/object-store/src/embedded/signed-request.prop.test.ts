import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signGrant, verifySignedRequest, type Grant } from './signed-request.js';

const secrets = ['the first secret, which signs what we send', 'the second secret, which only verifies it'] as const;
const baseUrl = 'https://files.example.net:8443/objects';
const nowMs = 1_800_000_000_000;

const text = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }).filter((value) => value === Buffer.from(value).toString());
const contentType = fc.constantFrom('image/png', 'image/webp', 'text/csv; charset=utf-8');
const expireTime = fc.integer({ min: 1, max: 604_800_000 }).map((ms) => new Date(nowMs + ms));
const grant: fc.Arbitrary<Grant> = fc.oneof(
  fc.record({ operation: fc.constant('upload' as const), key: text, contentType, maxBytes: fc.integer({ min: 1 }), sizeBytes: fc.integer({ min: 1 }), expireTime }, { requiredKeys: ['operation', 'key', 'maxBytes', 'expireTime'] }),
  fc.record({ operation: fc.constant('download' as const), key: text, versionId: text, contentType, expireTime }),
);

const targetOf = (url: string): string => url.slice(new URL(url).origin.length);

// A request has the length that its URL tells, unless a test says otherwise.
const verify = (url: string, method: string, header: string | undefined, { contentLength, ...o }: { secrets?: readonly string[]; nowMs?: number; contentLength?: string } = {}) =>
  verifySignedRequest({ method, url, contentType: header, contentLength: contentLength ?? /size_bytes=(\d+)/.exec(url)?.[1] }, { secrets, nowMs, ...o });

test('what was signed comes back as it was, from the request as it arrives', () => {
  fc.assert(fc.property(grant, (granted) => {
    const { url, method, headers, expireTime: until } = signGrant(granted, { secrets, baseUrl });
    expect(url.startsWith(`${baseUrl}?`)).toBe(true);
    expect(until).toEqual(granted.expireTime);
    expect(verify(targetOf(url), method, headers['content-type'])).toEqual({ ok: true, grant: granted });
  }));
});

test('no single change of a request is accepted', () => {
  const change = fc.constantFrom<(url: URL, other: string) => string>(
    (url, other) => { url.searchParams.set('key', other); return 'bad_signature'; },
    (url, other) => { url.searchParams.set('version_id', other); return 'bad_signature'; },
    (url) => { url.searchParams.set('max_bytes', '99999999999'); return 'bad_signature'; },
    (url) => { url.searchParams.set('size_bytes', '99999999999'); return 'bad_signature'; },
    (url) => { url.searchParams.set('content_type', 'text/html'); return 'bad_signature'; },
    (url) => { url.searchParams.set('expires_at_ms', String(nowMs + 10_000_000_000)); return 'bad_signature'; },
    (url) => { url.searchParams.set('signature', ''); return 'bad_signature'; },
    (url) => { url.searchParams.delete('signature'); return 'bad_signature'; },
    (url) => { url.searchParams.delete('key'); return 'bad_signature'; },
    (url) => { url.searchParams.delete('expires_at_ms'); return 'bad_signature'; },
    (url) => { url.searchParams.append('key', url.searchParams.get('key') ?? ''); return 'malformed'; },
    (url, other) => { url.searchParams.set('more', other); return 'malformed'; },
  );
  fc.assert(fc.property(grant, change, text, (granted, apply, other) => {
    const { url, method, headers } = signGrant(granted, { secrets, baseUrl });
    const changed = new URL(url);
    const reason = apply(changed, other);
    fc.pre(changed.href !== url);
    expect(verify(targetOf(changed.href), method, headers['content-type'])).toEqual({ ok: false, reason });
  }));
});

test('no single changed bit of a signature is accepted', () => {
  fc.assert(fc.property(grant, fc.nat({ max: 255 }), (granted, bit) => {
    const { url, method, headers } = signGrant(granted, { secrets, baseUrl });
    const changed = new URL(url);
    const bytes = Buffer.from(changed.searchParams.get('signature') ?? '', 'base64url');
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    changed.searchParams.set('signature', bytes.toString('base64url'));
    expect(verify(changed.href, method, headers['content-type'])).toEqual({ ok: false, reason: 'bad_signature' });
  }));
});

test('another method is a bad signature', () => {
  fc.assert(fc.property(grant, fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'put', ''), (granted, method) => {
    const signed = signGrant(granted, { secrets, baseUrl });
    fc.pre(method !== signed.method);
    expect(verify(signed.url, method, signed.headers['content-type'])).toEqual({ ok: false, reason: 'bad_signature' });
  }));
});

test('no two grants share a signature', () => {
  fc.assert(fc.property(grant, grant, (one, other) => {
    const [a, b] = [one, other].map((granted) => new URL(signGrant(granted, { secrets, baseUrl }).url));
    fc.pre(a?.href !== b?.href);
    expect(a?.searchParams.get('signature')).not.toBe(b?.searchParams.get('signature'));
  }));
});

test('a grant ends in the millisecond of its expiry', () => {
  fc.assert(fc.property(grant, (granted) => {
    const { url, method, headers } = signGrant(granted, { secrets, baseUrl });
    const endsMs = granted.expireTime.getTime();
    expect(verify(url, method, headers['content-type'], { nowMs: endsMs - 1 })).toMatchObject({ ok: true });
    expect(verify(url, method, headers['content-type'], { nowMs: endsMs })).toEqual({ ok: false, reason: 'expired' });
  }));
});

test('a rotated secret verifies until it is dropped from the list', () => {
  fc.assert(fc.property(grant, (granted) => {
    const [newer, older] = secrets;
    const { url, method, headers } = signGrant(granted, { secrets: [older], baseUrl });
    const header = headers['content-type'];
    expect(verify(url, method, header, { secrets: [newer, older] })).toMatchObject({ ok: true });
    expect(verify(url, method, header, { secrets: [newer] })).toEqual({ ok: false, reason: 'bad_signature' });
    expect(verify(url, method, header, { secrets: [] })).toEqual({ ok: false, reason: 'bad_signature' });
    expect(new URL(signGrant(granted, { secrets, baseUrl }).url).searchParams.get('signature'))
      .toBe(new URL(signGrant(granted, { secrets: [newer], baseUrl }).url).searchParams.get('signature'));
  }));
});

test('an upload must carry the signed content type, when one was signed', () => {
  const upload = { operation: 'upload', key: 'a', maxBytes: 1, expireTime: new Date(nowMs + 1) } as const;
  const typed = signGrant({ ...upload, contentType: 'image/png' }, { secrets, baseUrl });
  for (const header of [undefined, '', 'text/html', 'image/png; a=b']) {
    expect(verify(typed.url, 'PUT', header)).toEqual({ ok: false, reason: 'wrong_content_type' });
  }
  const open = signGrant(upload, { secrets, baseUrl });
  for (const header of [undefined, 'text/html']) expect(verify(open.url, 'PUT', header)).toMatchObject({ ok: true });
});

test('an upload must have the signed length, when one was signed', () => {
  const upload = { operation: 'upload', key: 'a', maxBytes: 10, expireTime: new Date(nowMs + 1) } as const;
  const sized = signGrant({ ...upload, sizeBytes: 7 }, { secrets, baseUrl });
  for (const contentLength of ['', '6', '8', '07', '7.0', 'x']) expect(verify(sized.url, 'PUT', undefined, { contentLength })).toEqual({ ok: false, reason: 'wrong_length' });
  expect(verifySignedRequest({ method: 'PUT', url: sized.url }, { secrets, nowMs })).toEqual({ ok: false, reason: 'wrong_length' });
  expect(verify(signGrant(upload, { secrets, baseUrl }).url, 'PUT', undefined, { contentLength: '9' })).toMatchObject({ ok: true });
});

test('any junk is answered, never thrown', () => {
  fc.assert(fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string(), fc.constantFrom('http://', '//', '/objects?key=%', '/?key=a&signature=%00')), fc.string(), (url, method) => {
    expect(verify(url, method, undefined)).toMatchObject({ ok: false });
  }));
});

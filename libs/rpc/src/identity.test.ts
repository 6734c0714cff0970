import { describe, expect, test } from 'vitest';
import { parseIdentity } from './identity.js';
import { identityIn, uriName } from './peer-certificate.js';

describe('names', () => {
  test.each([
    ['ingest/main', { role: 'ingest', name: 'main' }],
    ['coordinator/one', { role: 'coordinator', name: 'one' }],
    ['operator/ada.l', { role: 'operator', name: 'ada.l' }],
    ['worker/image/one', { role: 'worker', kind: 'image', name: 'one' }],
    ['client/team-a', { role: 'client', namespaces: ['team-a'] }],
    ['client/team-a/team-b', { role: 'client', namespaces: ['team-a', 'team-b'] }],
  ])('%s is understood', (path, identity) => {
    expect(parseIdentity(`spiffe://leasehold/${path}`)).toEqual({ ...identity, id: `spiffe://leasehold/${path}` });
  });

  test.each([
    '', 'local', 'spiffe://leasehold', 'spiffe://leasehold/', 'spiffe://leasehold/local', 'spiffe://leasehold/local/x', 'spiffe://leasehold/ingest', 'spiffe://leasehold/ingest/', 'spiffe://leasehold/ingest/a/b',
    'spiffe://leasehold/worker/image', 'spiffe://leasehold/worker/image/a/b', 'spiffe://leasehold/worker/Image/a', 'spiffe://leasehold/client', 'spiffe://leasehold/client/', 'spiffe://leasehold/client/a/',
    'spiffe://leasehold/client/-', 'spiffe://leasehold/client/a.b', 'spiffe://leasehold/root/x', 'spiffe://other/ingest/main', 'spiffe://leasehold.evil/ingest/main', 'SPIFFE://leasehold/ingest/main',
    'spiffe://leasehold/ingest/../operator/x', 'spiffe://leasehold/ingest/%61', 'https://leasehold/ingest/main', `spiffe://leasehold/client/${Array.from({ length: 99 }, () => 'a'.repeat(40)).join('/')}`,
  ])('%j is nobody', (uri) => {
    expect(parseIdentity(uri)).toBeUndefined();
  });
});

describe('certificates', () => {
  const uri = 'spiffe://leasehold/operator/ada';
  const o = { domain: 'tested', nowMs: Date.parse('2030-01-01T00:00:00Z') };

  test('the one URI name counts, whatever hosts there are', () => {
    expect(uriName(`DNS:localhost, URI:${uri}, IP Address:127.0.0.1`)).toBe(uri);
  });

  test.each([undefined, '', 'DNS:localhost', `URI:${uri}, URI:spiffe://leasehold/ingest/main`, `DNS:"a, URI:${uri}, b"`, `URI:${uri}, DNS:"a\\"b"`])('%s names nobody', (text) => {
    expect(uriName(text)).toBeUndefined();
  });

  test('a certificate is judged again at each call: its end does not wait for the next handshake', () => {
    const certificate = { subjectaltname: `URI:${uri}`, valid_to: 'Jan  1 00:00:00 2030 GMT' };
    expect(identityIn(certificate, o)).toMatchObject({ role: 'operator' });
    expect(() => identityIn(certificate, { ...o, nowMs: o.nowMs + 1 })).toThrow(expect.objectContaining({ reason: 'CERTIFICATE_EXPIRED', domain: 'tested' }));
    expect(() => identityIn({ subjectaltname: `URI:${uri}` }, o)).toThrow(expect.objectContaining({ reason: 'CERTIFICATE_EXPIRED' }));
    expect(() => identityIn(undefined, o)).toThrow(expect.objectContaining({ reason: 'IDENTITY_MISSING' }));
  });
});

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { Authority } from './index.js';

const uri = 'spiffe://leasehold/operator/ada';

test('what an authority issues is its own, names whom it was asked to name, and fits its key', async () => {
  const authority = await Authority.create();
  const issued = await authority.issue({ uris: [uri], hosts: ['localhost', '127.0.0.1', '::1'] });
  const [root, leaf] = [new X509Certificate(authority.certificate), new X509Certificate(issued.certificate)];
  expect(root.ca).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.subjectAltName).toBe(`URI:${uri}, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1`);
  expect(leaf.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
  expect(leaf.serialNumber).not.toBe(new X509Certificate((await authority.issue({ uris: [uri] })).certificate).serialNumber);
});

test('another authority of the same name is another one', async () => {
  const [one, two] = [await Authority.create(), await Authority.create()];
  const leaf = new X509Certificate((await two.issue({ uris: [uri] })).certificate);
  expect(leaf.verify(new X509Certificate(one.certificate).publicKey)).toBe(false);
});

test('a certificate is valid from and until when it was asked to be, to the second', async () => {
  const [notBefore, notAfter] = [new Date('2001-02-03T04:05:06Z'), new Date('2001-02-03T04:05:07Z')];
  const leaf = new X509Certificate((await (await Authority.create()).issue({ notBefore, notAfter })).certificate);
  expect([new Date(leaf.validFrom), new Date(leaf.validTo)]).toEqual([notBefore, notAfter]);
});

test('an authority that was written down goes on issuing', async () => {
  const authority = await Authority.create();
  const loaded = await Authority.load({ certificate: authority.certificate, key: await authority.key() });
  const root = new X509Certificate(authority.certificate);
  const leaf = new X509Certificate((await loaded.issue({ uris: [uri] })).certificate);
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
  await expect(Authority.load({ certificate: authority.certificate, key: 'nonsense' })).rejects.toThrow();
});

import { writeFile } from 'node:fs/promises';
import { Authority } from '@leasehold/development-ca';
import { expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { certificateFiles, watched } from './certificate-files.fixture.js';
import { Certificates, type TlsChange } from './certificates.js';
import { createRegistry } from './registry.js';

// A busy machine may need seconds for what takes milliseconds.
const patiently = { timeout: 10_000 };

const authority = await Authority.create();

test('new certificates are in use soon after the files were replaced, and listeners hear whether the trust changed too', async () => {
  const { files, replace } = await certificateFiles(authority);
  const certificates = watched(files);
  const changes: TlsChange[] = [];
  const forget = certificates.onChange((change) => changes.push(change));
  const first = certificates.material;
  await replace(authority);
  await expect.poll(() => certificates.material, patiently).not.toBe(first);
  expect(changes).toMatchObject([{ material: certificates.material, trust: false }]);
  await replace(await Authority.create());
  await expect.poll(() => changes.at(-1)?.trust, patiently).toBe(true);
  forget();
});

test('files that do not fit together yet change nothing; the complaint comes once and shows no key', async () => {
  const { files, replace } = await certificateFiles(authority);
  const log = captureLog();
  const certificates = watched(files, { logger: log.logger });
  const { material } = certificates;
  const other = await authority.issue({});
  await writeFile(files.key, other.key);
  await expect.poll(() => log.events('certificates_unreadable').length, patiently).toBe(1);
  await writeFile(files.certificate, 'half of it');
  await expect.poll(() => log.events('certificates_unreadable').length, patiently).toBe(2);
  expect(certificates.material).toBe(material);
  expect(log.text()).not.toContain(other.key.split('\n')[1]);
  await replace(authority);
  await expect.poll(() => log.events('certificates_changed').length, patiently).toBe(1);
});

test('files that are of no use are refused at the start, each by its name', async () => {
  const { files } = await certificateFiles(authority);
  const { files: others } = await certificateFiles(authority);
  expect(() => Certificates.open({ ...files, ca: '/nowhere/ca.pem' })).toThrow('/nowhere/ca.pem: cannot be read (ENOENT)');
  expect(() => Certificates.open({ ...files, ca: files.key })).toThrow(`${files.key}: holds no PEM certificate`);
  expect(() => Certificates.open({ ...files, certificate: files.key })).toThrow(`${files.key}: holds no PEM certificate`);
  expect(() => Certificates.open({ ...files, key: others.key })).toThrow(`${others.key}: holds no PEM key that belongs to ${files.certificate}`);
});

test('a metric says when the certificate ends', async () => {
  const notAfter = new Date('2099-01-02T03:04:05Z');
  const { files } = await certificateFiles(authority, { notAfter });
  const registry = createRegistry('tested');
  watched(files, { registry });
  expect(await registry.metrics()).toMatch(new RegExp(`leasehold_tls_certificate_not_after_timestamp_seconds\\{.*\\} ${notAfter.getTime() / 1000}`));
});

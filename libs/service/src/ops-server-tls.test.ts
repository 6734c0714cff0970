import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { Authority } from '@leasehold/development-ca';
import { expect, onTestFinished, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { certificateFiles, watched } from './certificate-files.fixture.js';
import type { Certificates } from './certificates.js';
import { OpsServer } from './ops-server.js';
import { createRegistry } from './registry.js';

// A busy machine may need seconds for what takes milliseconds.
const patiently = { timeout: 10_000 };

const authority = await Authority.create();
const hosts = ['127.0.0.1'];

function opsServer(host: string, certificates?: Certificates): OpsServer {
  const server = new OpsServer({ host, port: 0, registry: createRegistry('tested'), logger: captureLog().logger, readiness: async () => [], certificates });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return server;
}

/** The serial number of the certificate that a probe is shown. */
const probe = (address: string, ca: string): Promise<string> => new Promise((resolve, reject) => {
  const [host, port] = address.split(':');
  request({ host, port, path: '/livez', ca, agent: false }, (answer) => {
    const socket: unknown = answer.socket;
    resolve(isTls(socket) && answer.statusCode === 200 ? socket.getPeerCertificate().serialNumber : 'none');
    answer.resume();
  }).on('error', reject).end();
});
const isTls = (socket: unknown): socket is TLSSocket => typeof socket === 'object' && socket !== null && 'encrypted' in socket;

test('without certificates HTTP is refused beyond this machine', () => {
  expect(() => opsServer('0.0.0.0')).toThrow('0.0.0.0: without certificates HTTP is served on this machine only');
});

test('with certificates it is HTTPS on any host, for probes without a certificate too, and shows the newest one', async () => {
  const { files, replace } = await certificateFiles(authority, { hosts });
  const server = opsServer('0.0.0.0', watched(files));
  await server.start();
  const address = server.address.replace('0.0.0.0', '127.0.0.1');
  const first = await probe(address, authority.certificate);
  await replace(authority);
  await expect.poll(() => probe(address, authority.certificate), patiently).not.toBe(first);
  const next = await Authority.create();
  await replace(next);
  await expect.poll(() => probe(address, next.certificate).catch(() => 'refused'), patiently).not.toBe('refused');
  await expect(probe(address, await readFile(files.ca, 'utf8'))).resolves.not.toBe('none');
});

import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { Authority, type CertificateRequest } from '@leasehold/development-ca';
import { EchoRequest, EchoResponse, EchoServiceService } from '@leasehold/echo-v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ECHO_DOMAIN, serveEdges } from './edges.fixture.js';
import { holder, name, secureClient, secureServer } from './tls.fixture.js';

const authority = await Authority.create();
const other = await Authority.create();
const hour = 3_600_000;
const served = { uris: [name.coordinator] };

/** A server whose handler counts its calls, and a client for each certificate. */
async function edge(request: CertificateRequest = served) {
  let calls = 0;
  const answer = async (_request: EchoRequest, call: { identity: { id: string } }) => {
    calls += 1;
    return EchoResponse.fromPartial({ note: { text: call.identity.id } });
  };
  const server = await secureServer((await holder(authority, request)).certificates, { echo: { echo: answer } });
  return { server, calls: () => calls };
}

test('a caller is who its certificate says, and on plaintext it is local', async () => {
  const { server } = await edge();
  const client = secureClient(server, (await holder(authority, { uris: [name.worker] })).certificates);
  expect((await client.echo(EchoRequest.create())).note?.text).toBe(name.worker);
  const plain = await serveEdges({ echo: { echo: async (_request, call) => EchoResponse.fromPartial({ note: { text: call.identity.id } }) } });
  expect((await plain.echoClient().echo(EchoRequest.create())).note?.text).toBe('local');
});

describe('no handler hears of a caller', () => {
  test('without a certificate', async () => {
    const { server, calls } = await edge();
    const client = new Client(server.address, credentials.createSsl(Buffer.from(authority.certificate), null, null, { checkServerIdentity: () => undefined }), {
      'grpc.ssl_target_name_override': 'leasehold', 'grpc.enable_http_proxy': 0,
    });
    onTestFinished(() => client.close());
    const { path, requestSerialize, responseDeserialize } = EchoServiceService.echo;
    const code = await new Promise((resolve) => client.makeUnaryRequest(path, requestSerialize, responseDeserialize, EchoRequest.create(), new Metadata(), { deadline: Date.now() + 5_000 }, (error) => resolve(error?.code)));
    expect(code).toBe(status.UNAVAILABLE);
    expect(calls()).toBe(0);
  });

  test('that speaks plaintext', async () => {
    const { server, calls } = await edge();
    await expect(secureClient(server, undefined).echo(EchoRequest.create())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(calls()).toBe(0);
  });

  test.each([
    ['of another authority', other, { uris: [name.worker] }],
    ['whose certificate has ended', authority, { uris: [name.worker], notBefore: new Date(Date.now() - 2 * hour), notAfter: new Date(Date.now() - hour) }],
    ['whose certificate has not begun', authority, { uris: [name.worker], notBefore: new Date(Date.now() + hour) }],
  ])('%s', async (_what, by, request) => {
    const { server, calls } = await edge();
    const impostor = await holder(by, request);
    await impostor.rotate(by, request, authority.certificate);
    await expect(secureClient(server, impostor.certificates).echo(EchoRequest.create())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(calls()).toBe(0);
  });

  test.each([
    ['with no name', []],
    ['with the name of something else', ['spiffe://other/worker/image/one']],
    ['with a role that there is not', ['spiffe://leasehold/root/one']],
    ['with two names', [name.worker, name.ingest]],
  ])('%s', async (_what, uris) => {
    const { server, calls } = await edge();
    const client = secureClient(server, (await holder(authority, { uris, hosts: ['worker.example'] })).certificates);
    await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ code: status.UNAUTHENTICATED, reason: 'IDENTITY_MISSING', domain: ECHO_DOMAIN });
    expect(calls()).toBe(0);
  });
});

describe('a caller sends nothing to a server', () => {
  test.each([
    ['of another authority', other, served],
    ['that names another role', authority, { uris: [name.worker] }],
    ['that names a host only', authority, { hosts: ['127.0.0.1', 'localhost'] }],
    ['whose certificate has ended', authority, { ...served, notBefore: new Date(Date.now() - 2 * hour), notAfter: new Date(Date.now() - hour) }],
  ])('%s', async (_what, by, request) => {
    const impostor = await holder(by, request);
    await impostor.rotate(by, request, authority.certificate);
    let calls = 0;
    const server = await secureServer(impostor.certificates, { echo: { echo: async () => { calls += 1; return EchoResponse.create(); } } });
    const client = secureClient(server, (await holder(authority, { uris: [name.worker] })).certificates);
    await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(calls).toBe(0);
  });
});

test('with certificates a server may listen, and a client call, beyond this machine', async () => {
  const server = await secureServer((await holder(authority, served)).certificates, { host: '0.0.0.0' });
  const port = server.address.split(':')[1];
  const client = secureClient(`localhost:${port}`, (await holder(authority, { uris: [name.ingest] })).certificates);
  expect((await client.echo(EchoRequest.create())).note?.text).toBe(name.ingest);
});

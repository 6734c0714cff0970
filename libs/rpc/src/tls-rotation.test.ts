import { connect, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { Authority } from '@leasehold/development-ca';
import { EchoRequest, EchoResponse } from '@leasehold/echo-v1';
import { expect, onTestFinished, test } from 'vitest';
import { deferred } from './deferred.fixture.js';
import { holder, name, secureClient, secureServer } from './tls.fixture.js';

// A busy machine may need seconds for what takes milliseconds.
const patiently = { timeout: 10_000 };

const before = await Authority.create();
const after = await Authority.create();
const both = before.certificate + after.certificate;
const server = { uris: [name.coordinator] };
const caller = { uris: [name.worker] };

test('an authority is replaced under load without a failed call and without a restart; whoever stayed with the old one is shut out, also on a connection that was open', async () => {
  const coordinator = await holder(before, server);
  const edge = await secureServer(coordinator.certificates);
  const [follows, stays] = [await holder(before, caller), await holder(before, caller)];
  const [good, old] = [secureClient(edge, follows.certificates), secureClient(edge, stays.certificates)];
  await old.echo(EchoRequest.create());

  let calls = 0;
  const failures: unknown[] = [];
  let going = true;
  onTestFinished(() => { going = false; });
  const load = (async () => {
    while (going && failures.length === 0) await good.echo(EchoRequest.create()).then(() => { calls += 1; }, (error: unknown) => failures.push(error));
  })();
  const someMore = async (): Promise<void> => { const sofar = calls; await expect.poll(() => [calls > sofar + 20, failures], patiently).toEqual([true, []]); };

  await someMore();
  for (const process of [coordinator, follows, stays]) await process.rotate(before, undefined, both);
  await someMore();
  for (const process of [coordinator, follows]) await process.rotate(after, undefined, both);
  await someMore();
  await old.echo(EchoRequest.create());
  for (const process of [coordinator, follows]) await process.rotate(after);
  await expect.poll(() => old.echo(EchoRequest.create()).then(() => status.OK, (fault: { code: status }) => fault.code), patiently).toBe(status.UNAVAILABLE);
  await someMore();
  going = false;
  await load;
  expect(failures).toEqual([]);
});

test('a caller with a new certificate is who that one says, from its next call on, while its calls under way end under the old one', async () => {
  const edge = await secureServer((await holder(before, server)).certificates, {
    echo: { echo: async ({ note }, call) => {
      if (note?.text === 'slow') { arrived.resolve(); await release.promise; }
      return EchoResponse.fromPartial({ note: { text: call.identity.id } });
    } },
  });
  const arrived = deferred();
  const release = deferred();
  const worker = await holder(before, caller);
  const client = secureClient(edge, worker.certificates);
  const slow = client.echo(EchoRequest.fromPartial({ note: { text: 'slow' } }));
  await arrived.promise;
  await worker.rotate(before, { uris: ['spiffe://leasehold/worker/image/two'] });
  expect((await client.echo(EchoRequest.create())).note?.text).toBe('spiffe://leasehold/worker/image/two');
  release.resolve();
  expect((await slow).note?.text).toBe(name.worker);
});

test('a session of before the change does not get a caller past it', async () => {
  const coordinator = await holder(before, server);
  const edge = await secureServer(coordinator.certificates);
  const { certificate, key } = await before.issue(caller);
  const dial = (session?: Buffer): TLSSocket => {
    const [host, port] = edge.address.split(':');
    return connect({ host, port: Number(port), ca: both, cert: certificate, key, ALPNProtocols: ['h2'], checkServerIdentity: () => undefined, session });
  };
  /** Resolves when HTTP/2 begins: in TLS 1.3 the refusal of a certificate comes after the client's own handshake has ended. */
  const admitted = async (socket: TLSSocket): Promise<string> => {
    let how = 'fresh';
    socket.once('secureConnect', () => { if (socket.isSessionReused()) how = 'resumed'; });
    const outcome = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false), once(socket, 'error').then(() => false)]).catch(() => false);
    socket.destroy();
    return outcome ? how : 'refused';
  };
  const first = dial();
  const session = new Promise<Buffer>((resolve) => first.once('session', resolve));
  const [ticket] = await Promise.all([session, admitted(first)]);
  expect(await admitted(dial(ticket))).toBe('resumed');
  await coordinator.rotate(after);
  expect(await admitted(dial(ticket))).toBe('refused');
});

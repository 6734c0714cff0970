import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import { EchoRequest, EchoResponse, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { startProcess, type ServiceProcess } from '@leasehold/test-stack';
import { expect, onTestFinished, test } from 'vitest';
import type { CallContext } from './call-context.js';
import { deferred } from './deferred.fixture.js';
import { serveEdges } from './edges.fixture.js';

// In seconds what production does in tens of seconds: asked every 20 s, given up after 5 s.
const keepalive = { everyMs: 400, timeoutMs: 400 };

async function child(program: string): Promise<ServiceProcess> {
  const running = await startProcess({ name: 'peer', args: ['--input-type=module', '--eval', program], env: {} });
  // SIGKILL also ends what is stopped.
  onTestFinished(() => void running.kill('SIGKILL'));
  return running;
}

const module = (name: string): string => JSON.stringify(import.meta.resolve(name));

test('a caller that is frozen is given up by its server, and the call\'s handler is told', async () => {
  const arrived = deferred<CallContext>();
  const ended = deferred<unknown>();
  const edges = await serveEdges({
    keepalive,
    echo: {
      async *repeat(_, call) {
        yield RepeatResponse.create();
        call.signal.addEventListener('abort', () => ended.resolve(call.signal.reason));
        arrived.resolve(call);
        await once(call.signal, 'abort');
      },
    },
  });
  const caller = await child(`
    import { createClient } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
    import { EchoServiceService, RepeatRequest } from ${module('@leasehold/echo-v1')};
    for await (const _ of createClient(EchoServiceService, ${JSON.stringify(edges.server.address)}).repeat(RepeatRequest.create())) console.log(JSON.stringify({ event: 'heard' }));
  `);
  await arrived.promise;
  await caller.waitForEvent(({ event }) => event === 'heard');
  caller.kill('SIGSTOP');
  expect(await ended.promise).toMatchObject({ code: status.CANCELLED });
});

test('a server that is frozen is given up by its caller, who hears UNAVAILABLE', async () => {
  const server = await child(`
    import { createServer } from 'node:http2';
    const server = createServer();
    server.on('stream', (stream) => { stream.respond({ ':status': 200, 'content-type': 'application/grpc' }); console.log(JSON.stringify({ event: 'called' })); });
    server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ event: 'listens', port: server.address().port })));
  `);
  const { port } = await server.waitForEvent(({ event }) => event === 'listens');
  const edges = await serveEdges();
  const stream = (async () => { for await (const _ of edges.echoClient({ keepalive }, `127.0.0.1:${String(port)}`).repeat(RepeatRequest.create())); })();
  const broken = expect(stream).rejects.toMatchObject({ code: status.UNAVAILABLE });
  await server.waitForEvent(({ event }) => event === 'called');
  server.kill('SIGSTOP');
  await broken;
});

test('pings on an idle connection are answered and never held against the caller: the connection is still the same, and serves', async () => {
  const edges = await serveEdges({ echo: { echo: async () => EchoResponse.create() } });
  let [connections, heard] = [0, 0];
  const [host, port] = edges.server.address.split(':');
  const sockets = new Set<Socket>();
  const counter = createServer((near) => {
    connections += 1;
    const far = connect(Number(port), host ?? '');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.on('data', () => { heard += 1; });
    near.pipe(far).pipe(near);
  });
  await once(counter.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    counter.close();
    for (const socket of sockets) socket.destroy();
  });
  const bound = counter.address();
  if (bound === null || typeof bound === 'string') throw new Error('the counter does not listen');
  // 30 pings are what production sends in 10 minutes.
  const client = edges.echoClient({ keepalive: { everyMs: 20, timeoutMs: 2_000 } }, `127.0.0.1:${bound.port}`);
  await client.echo(EchoRequest.create());
  const before = heard;
  await expect.poll(() => heard - before, { timeout: 15_000 }).toBeGreaterThan(60);
  expect(client.channelState).toBe('ready');
  await client.echo(EchoRequest.create());
  expect(connections).toBe(1);
});

import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { EchoRequest, EchoResponse, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { createLogger, createRegistry } from '@leasehold/service';
import { service as healthService } from 'grpc-health-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from './deferred.fixture.js';
import { ECHO_DOMAIN, image, serveEdges } from './edges.fixture.js';
import { GrpcServer } from './grpc-server.js';

const ECHO = 'leasehold.echo.v1.EchoService';

/** grpc.health.v1 as any client speaks it. */
function healthOf(address: string) {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 });
  onTestFinished(() => client.close());
  const { Check, Watch } = healthService;
  if (Check === undefined || Watch === undefined) throw new Error('grpc-health-check lacks Check or Watch');
  return {
    check: (service: string): Promise<unknown> => new Promise((resolve, reject) => {
      client.makeUnaryRequest(Check.path, Check.requestSerialize, Check.responseDeserialize, { service }, new Metadata(), {}, (error, value) => (error === null ? resolve(value) : reject(error)));
    }),
    watch: (service: string): AsyncIterable<unknown> => client.makeServerStreamRequest(Watch.path, Watch.requestSerialize, Watch.responseDeserialize, { service }, new Metadata()),
  };
}

describe('health', () => {
  test('is SERVING over all and for each service once started, and unknown for others', async () => {
    const { server } = await serveEdges();
    const health = healthOf(server.address);
    for (const name of ['', ECHO, 'leasehold.echo.v1.MirrorService', 'grpc.health.v1.Health']) expect(await health.check(name)).toEqual({ status: 'SERVING' });
    await expect(health.check('leasehold.other.v1.Other')).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  test('follows setServing, while calls are still served', async () => {
    const edges = await serveEdges({ echo: { echo: () => Promise.resolve(EchoResponse.create()) } });
    const health = healthOf(edges.server.address);
    edges.server.setServing(false);
    expect(await health.check(ECHO)).toEqual({ status: 'NOT_SERVING' });
    await edges.echoClient().echo(EchoRequest.create());
    edges.server.setServing(true);
    expect(await health.check('')).toEqual({ status: 'SERVING' });
  });

  test('says NOT_SERVING to those who watch before the drain, and then lets them go', async () => {
    const arrived = deferred();
    const release = deferred();
    const edges = await serveEdges({ echo: { echo: async () => { arrived.resolve(); await release.promise; return EchoResponse.create(); } } });
    const seen: unknown[] = [];
    const watching = Promise.all(['', ECHO].map(async (name) => { for await (const update of healthOf(edges.server.address).watch(name)) seen.push(update); }));
    await expect.poll(() => seen).toHaveLength(2);
    const call = edges.echoClient().echo(EchoRequest.create());
    await arrived.promise;
    const stopped = edges.server.stop(new AbortController().signal);
    await watching;
    expect(seen.slice(2)).toEqual([{ status: 'NOT_SERVING' }, { status: 'NOT_SERVING' }]);
    release.resolve();
    await Promise.all([call, stopped]);
  });

  test('lets watchers go also when the server was told not to serve a moment before, and tells them once', async () => {
    const edges = await serveEdges();
    const seen: unknown[] = [];
    const watching = (async () => { for await (const update of healthOf(edges.server.address).watch('')) seen.push(update); })();
    await expect.poll(() => seen).toHaveLength(1);
    edges.server.setServing(false);
    await Promise.all([watching, edges.server.stop(AbortSignal.timeout(5_000))]);
    expect(seen.slice(1)).toEqual([{ status: 'NOT_SERVING' }]);
  });
});

describe('stop', () => {
  test('waits for the calls under way, tells them to hurry, and takes no new ones', async () => {
    const arrived = deferred();
    const edges = await serveEdges({
      echo: {
        echo: async (_, { draining, signal }) => {
          arrived.resolve();
          await once(draining, 'abort');
          return EchoResponse.create({ note: { text: signal.aborted ? 'late' : 'in time' } });
        },
      },
    });
    const { address } = edges.server;
    const call = edges.echoClient().echo(EchoRequest.create());
    await arrived.promise;
    const stopped = edges.server.stop(new AbortController().signal);
    expect((await call).note?.text).toBe('in time');
    await stopped;
    await expect(edges.echoClient({}, address).echo(EchoRequest.create())).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  test('breaks off what is left at the deadline', async () => {
    const aborted = deferred<unknown>();
    const arrived = deferred();
    const deadline = new AbortController();
    const edges = await serveEdges({
      echo: {
        async *repeat(_, { signal }) {
          yield RepeatResponse.create();
          arrived.resolve();
          await once(signal, 'abort');
          aborted.resolve(signal.reason);
        },
      },
    });
    const watch = (async () => { for await (const _ of edges.echoClient().repeat(RepeatRequest.create())); })();
    const broken = expect(watch).rejects.toMatchObject({ code: status.UNAVAILABLE, domain: 'transport' });
    await arrived.promise;
    const stopped = edges.server.stop(deadline.signal);
    deadline.abort();
    await stopped;
    await broken;
    expect(await aborted.promise).toMatchObject({ code: status.CANCELLED });
  });

  test('does not wait for connections that are idle', async () => {
    const edges = await serveEdges({ echo: { echo: () => Promise.resolve(EchoResponse.create()) } });
    const client = edges.echoClient();
    await client.echo(EchoRequest.create());
    expect(client.channelState).toBe('ready');
    await edges.server.stop(new AbortController().signal);
  });

  test('is safe twice, and before start', async () => {
    const { server } = await serveEdges();
    await Promise.all([server.stop(AbortSignal.abort()), server.stop(AbortSignal.abort())]);
    await server.stop(AbortSignal.abort());
    const never = bare();
    await never.stop(AbortSignal.abort());
    await expect(never.start()).rejects.toThrow('does not start again');
  });
});

describe('start', () => {
  test('twice serves once', async () => {
    const { server } = await serveEdges();
    const { address } = server;
    await server.start();
    expect(server.address).toBe(address);
  });

  test('on a port in use fails, and succeeds when the port is free', async () => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    const held = holder.address();
    if (held === null || typeof held === 'string') throw new Error('no port');
    const server = bare({ port: held.port });
    onTestFinished(() => server.stop(AbortSignal.abort()));
    await expect(server.start()).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => holder.close(resolve));
    await server.start();
    expect(server.address).toBe(`127.0.0.1:${held.port}`);
  });
});

describe('construction refuses', () => {
  test.each(['0.0.0.0', '::', '192.168.1.4', 'example.org'])('the host %s, as the server speaks plaintext', (host) => {
    expect(() => bare({ host })).toThrow(`${host}: gRPC is served in plaintext and only on this machine`);
  });

  test('a service that no image describes', () => {
    expect(() => bare({ services: [{ name: ECHO, domain: ECHO_DOMAIN, guarded: false, register: () => undefined }], images: [image('@leasehold/google-rpc')] })).toThrow(`no image describes ${ECHO}`);
  });
});

test('more calls at once than allowed are refused with a time to come back, and one that ends makes room', async () => {
  const arrived = deferred();
  const release = deferred();
  const edges = await serveEdges({ maxConcurrentCalls: 1, echo: { echo: async () => { arrived.resolve(); await release.promise; return EchoResponse.create(); } } });
  const client = edges.echoClient();
  const first = client.echo(EchoRequest.create());
  await arrived.promise;
  await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'TOO_MANY_CALLS', retryDelayMs: 200 });
  release.resolve();
  await first;
  await client.echo(EchoRequest.create());
  expect(await edges.answered('Echo', 'OK')).toBe(2);
  expect(await edges.answered('Echo', 'RESOURCE_EXHAUSTED')).toBe(1);
});

function bare(o: Partial<ConstructorParameters<typeof GrpcServer>[0]> = {}): GrpcServer {
  const registry = createRegistry('tested');
  return new GrpcServer({ host: '127.0.0.1', port: 0, services: [], images: [], logger: createLogger({ service: 'tested', level: 'silent' }), registry, ...o });
}

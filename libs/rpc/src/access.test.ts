import { status } from '@grpc/grpc-js';
import { Authority } from '@leasehold/development-ca';
import { CollectRequest, CollectResponse, EchoRequest, EchoResponse, EchoServiceService, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { createLogger, createRegistry } from '@leasehold/service';
import { expect, test } from 'vitest';
import type { AccessOf } from './access.js';
import { ECHO_DOMAIN, image, serveEdges, type Echo } from './edges.fixture.js';
import { faults } from './faults.js';
import { GrpcServer } from './grpc-server.js';
import { service } from './service.js';
import { holder, name, secureClient, secureServer } from './tls.fixture.js';

const authority = await Authority.create();
const textOf = ({ part }: CollectRequest): string | undefined => (part?.$case === 'note' ? part.value.text : undefined);
const denied = (): never => {
  throw faults(ECHO_DOMAIN).denied('NOT_ALLOWED', 'not for workers', { identity: 'x' });
};

async function edge(access: Partial<AccessOf<Echo>>) {
  const begun: string[] = [];
  const server = await secureServer((await holder(authority, { uris: [name.coordinator] })).certificates, {
    access,
    echo: {
      echo: async () => { begun.push('echo'); return EchoResponse.create(); },
      async *repeat() { begun.push('repeat'); yield RepeatResponse.create(); },
      collect: async (requests) => {
        begun.push('collect');
        const texts: string[] = [];
        for await (const request of requests) texts.push(textOf(request) ?? '');
        begun.push(texts.join(' '));
        return CollectResponse.fromPartial({ count: texts.length });
      },
    },
  });
  return { begun, client: secureClient(server, (await holder(authority, { uris: [name.worker] })).certificates) };
}

const refusal = { code: status.PERMISSION_DENIED, reason: 'NOT_ALLOWED', domain: ECHO_DOMAIN, metadata: { identity: 'x' } };
async function* notes(...texts: string[]): AsyncGenerator<CollectRequest> {
  for (const text of texts) yield CollectRequest.fromPartial({ part: { $case: 'note', value: { text } } });
}

test('a refused caller gets the reason, and no handler of any kind begins', async () => {
  const { begun, client } = await edge({ echo: denied, repeat: denied, collect: denied });
  await expect(client.echo(EchoRequest.create())).rejects.toMatchObject(refusal);
  await expect(client.repeat(RepeatRequest.create())[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
  await expect(client.collect(notes('a', 'b'))).rejects.toMatchObject(refusal);
  expect(begun).toEqual([]);
});

test('a rule sees who calls and what is asked for, of a stream its first request, and the handler still gets all of them', async () => {
  const seen: unknown[] = [];
  const note = (text: string | undefined, id: string): void => void seen.push([text, id]);
  const { begun, client } = await edge({ echo: (request, call) => note(request.note?.text, call.identity.id), collect: async (request, call) => note(textOf(request), call.identity.id) });
  await client.echo(EchoRequest.fromPartial({ note: { text: 'one' } }));
  expect((await client.collect(notes('first', 'second', 'third'))).count).toBe(3);
  expect(begun.at(-1)).toBe('first second third');
  expect(seen).toEqual([['one', name.worker], ['first', name.worker]]);
});

test('a stream without any request reaches its handler, which judges it', async () => {
  const { client } = await edge({ collect: denied });
  expect((await client.collect(notes())).count).toBe(0);
});

test('a rule that fails for another reason refuses the call without its text', async () => {
  const { begun, client } = await edge({ echo: () => { throw new Error('the database said no'); } });
  await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ code: status.INTERNAL, message: expect.not.stringContaining('database') });
  expect(begun).toEqual([]);
});

test('callers on this machine over plaintext are not asked', async () => {
  const plain = await serveEdges({ echo: { echo: async () => EchoResponse.create() } });
  await expect(plain.echoClient().echo(EchoRequest.create())).resolves.toBeDefined();
});

test('a server with certificates takes no service that has no access table', async () => {
  const { certificates } = await holder(authority, { uris: [name.coordinator] });
  const open = service(EchoServiceService, { echo: denied, discard: denied, repeat: denied, collect: denied }, { domain: ECHO_DOMAIN });
  const o = { host: '127.0.0.1', port: 0, services: [open], images: [image('@leasehold/google-rpc'), image('@leasehold/echo-v1')], logger: createLogger({ service: 'tested', level: 'silent' }), registry: createRegistry('tested') };
  expect(() => new GrpcServer({ ...o, certificates })).toThrow('leasehold.echo.v1.EchoService: without an access table');
  expect(() => new GrpcServer(o)).not.toThrow();
});

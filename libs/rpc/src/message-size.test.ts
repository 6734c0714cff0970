import { status } from '@grpc/grpc-js';
import { CollectRequest, CollectResponse, DiscardRequest, DiscardResponse, EchoRequest, EchoResponse, EchoServiceService, Note, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { describe, expect, test } from 'vitest';
import { ECHO_DOMAIN, serveEdges } from './edges.fixture.js';
import { rawUnary } from './raw-call.fixture.js';

const LIMIT = 64 * 1024;
const MiB = 1024 * 1024;

/** A request of exactly so many bytes on the wire. */
function requestOf(bytes: number): DiscardRequest {
  const of = (body: number): DiscardRequest => DiscardRequest.create({ notes: [{ body: Buffer.alloc(body, 7) }] });
  const size = (request: DiscardRequest): number => DiscardRequest.encode(request).finish().length;
  const request = of(bytes - (size(of(bytes)) - bytes));
  expect(size(request)).toBe(bytes);
  return request;
}

const tooLarge = { code: status.RESOURCE_EXHAUSTED, reason: 'MESSAGE_TOO_LARGE' };

describe('a request', () => {
  async function counting(maxReceiveBytes?: number) {
    let calls = 0;
    const edges = await serveEdges({
      ...(maxReceiveBytes === undefined ? {} : { maxReceiveBytes }),
      echo: { discard: () => { calls += 1; return Promise.resolve(DiscardResponse.create()); } },
    });
    return { edges, calls: () => calls };
  }

  test('of the limit is served, one byte more is refused before its handler, and not retried', async () => {
    const { edges, calls } = await counting(LIMIT);
    const client = edges.echoClient({ idempotent: ['discard'] });
    await client.discard(requestOf(LIMIT));
    await expect(client.discard(requestOf(LIMIT + 1))).rejects.toMatchObject({ ...tooLarge, domain: ECHO_DOMAIN, message: expect.stringContaining(`${LIMIT + 1} vs ${LIMIT}`) });
    expect(calls()).toBe(1);
    expect(await edges.answered('Discard', 'RESOURCE_EXHAUSTED')).toBe(1);
  });

  test('of 4 MiB is the default limit, and far larger ones are refused as clearly', async () => {
    const { edges } = await counting();
    const client = edges.echoClient();
    await client.discard(requestOf(4 * MiB));
    for (const bytes of [4 * MiB + 1, 12 * MiB]) await expect(client.discard(requestOf(bytes))).rejects.toMatchObject(tooLarge);
    await client.discard(requestOf(4 * MiB));
  });

  test('too large names its reason to any client', async () => {
    const { edges } = await counting(LIMIT);
    const refusal = await rawUnary(edges.server.address, EchoServiceService.discard, requestOf(LIMIT + 1));
    expect(refusal).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: ['type.googleapis.com/google.rpc.ErrorInfo'] });
  });

  test('too large within a stream ends the stream', async () => {
    const edges = await serveEdges({
      maxReceiveBytes: LIMIT,
      echo: {
        collect: async (requests) => {
          for await (const _ of requests);
          return CollectResponse.create();
        },
      },
    });
    const chunks = async function* (size: number) {
      for (let i = 0; i < 3; i += 1) yield CollectRequest.create({ part: { $case: 'note', value: Note.create({ body: Buffer.alloc(i === 1 ? size : 1) }) } });
    };
    await edges.echoClient().collect(chunks(LIMIT - 100));
    await expect(edges.echoClient().collect(chunks(LIMIT))).rejects.toMatchObject(tooLarge);
  });
});

describe('an answer', () => {
  test('of the limit is taken, one byte more is a fault of the client, and not asked for again', async () => {
    let calls = 0;
    const answerWith = (body: number): EchoResponse => EchoResponse.create({ note: { body: Buffer.alloc(body) } });
    const frame = EchoResponse.encode(answerWith(LIMIT)).finish().length - LIMIT;
    const edges = await serveEdges({
      echo: {
        echo: ({ note }) => {
          calls += 1;
          return Promise.resolve(answerWith(LIMIT - frame + (note?.text === 'more' ? 1 : 0)));
        },
      },
    });
    const client = edges.echoClient({ maxReceiveBytes: LIMIT, idempotent: ['echo'] });
    await client.echo(EchoRequest.create({ note: { text: 'limit' } }));
    await expect(client.echo(EchoRequest.create({ note: { text: 'more' } }))).rejects.toMatchObject({ ...tooLarge, domain: 'transport' });
    expect(calls).toBe(2);
  });

  test('too large within a stream ends the stream', async () => {
    const edges = await serveEdges({
      echo: { async *repeat() { for (;;) yield RepeatResponse.create({ note: { body: Buffer.alloc(LIMIT) } }); } },
    });
    const download = async (): Promise<void> => { for await (const _ of edges.echoClient({ maxReceiveBytes: LIMIT }).repeat(RepeatRequest.create())); };
    await expect(download()).rejects.toMatchObject(tooLarge);
  });
});

import { CollectRequest, CollectResponse, Note, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { expect, test } from 'vitest';
import { deferred } from './deferred.fixture.js';
import { serveEdges } from './edges.fixture.js';

const CHUNK_BYTES = 64 * 1024;
const CHUNKS = 320;
/** What may lie in buffers and windows on the way: 8 MiB of the 20 MiB. */
const AHEAD = 128;
const note = Note.create({ body: Buffer.alloc(CHUNK_BYTES) });

/** Long enough for a sender that does not wait to hand everything over: it would do so within one turn of the event loop. */
async function manyTurns(): Promise<void> {
  for (let i = 0; i < 200; i += 1) await new Promise(setImmediate);
}

test('a server stream waits for a slow reader, and then delivers all', async () => {
  let produced = 0;
  const edges = await serveEdges({
    echo: { async *repeat() { for (; produced < CHUNKS; produced += 1) yield RepeatResponse.create({ note }); } },
  });
  let received = 0;
  for await (const _ of edges.echoClient().repeat(RepeatRequest.create())) {
    received += 1;
    if (received > 1) continue;
    await manyTurns();
    expect(produced).toBeLessThan(AHEAD);
  }
  expect(received).toBe(CHUNKS);
});

test('a client stream waits for a slow reader, and then delivers all', async () => {
  let produced = 0;
  let received = 0;
  const edges = await serveEdges({
    echo: {
      collect: async (requests) => {
        for await (const _ of requests) {
          received += 1;
          if (received > 1) continue;
          await manyTurns();
          expect(produced).toBeLessThan(AHEAD);
        }
        return CollectResponse.create({ count: received });
      },
    },
  });
  const chunks = (async function* () { for (; produced < CHUNKS; produced += 1) yield CollectRequest.create({ part: { $case: 'note', value: note } }); })();
  await expect(edges.echoClient().collect(chunks)).resolves.toMatchObject({ count: CHUNKS });
});

test('a server stream whose reader stalls and then leaves ends its handler', async () => {
  const ended = deferred<number>();
  const edges = await serveEdges({
    echo: {
      async *repeat() {
        let produced = 0;
        try {
          for (; produced < CHUNKS; produced += 1) yield RepeatResponse.create({ note });
        } finally {
          ended.resolve(produced);
        }
      },
    },
  });
  for await (const _ of edges.echoClient().repeat(RepeatRequest.create())) {
    await manyTurns();
    break;
  }
  expect(await ended.promise).toBeLessThan(AHEAD);
});

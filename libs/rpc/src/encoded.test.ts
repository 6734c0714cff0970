import { CollectRequest, CollectResponse } from '@leasehold/echo-v1';
import { expect, test } from 'vitest';
import { serveEdges } from './edges.fixture.js';
import { Encoded } from './encoded.js';

const textOf = ({ part }: CollectRequest): string => (part?.$case === 'note' ? (part.value.text ?? '') : '');

test('requests that are encoded already arrive as they were, although all are written into the same memory', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `${at} `.repeat(4_000));
  const arrived: string[] = [];
  const edges = await serveEdges({
    echo: {
      collect: async (requests) => {
        for await (const request of requests) arrived.push(textOf(request));
        return CollectResponse.create({ count: arrived.length });
      },
    },
  });
  const memory = Buffer.alloc(64 * 1024);
  const encoded = (async function* () {
    for (const text of texts) {
      const bytes = CollectRequest.encode(CollectRequest.create({ part: { $case: 'note', value: { text } } })).finish();
      memory.fill(0).set(bytes);
      yield new Encoded(memory.subarray(0, bytes.length));
    }
    memory.fill(0);
  })();
  await expect(edges.echoClient().collect(encoded)).resolves.toMatchObject({ count: texts.length });
  expect(arrived).toEqual(texts);
});

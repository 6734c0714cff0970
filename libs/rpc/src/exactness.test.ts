import { DiscardResponse, EchoResponse, Note, NoteKind } from '@leasehold/echo-v1';
import { expect, test } from 'vitest';
import { serveEdges } from './edges.fixture.js';

const beyondDouble = [2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 1_764_437_696_789_123n];

test('64-bit integers arrive exactly, both ways', async () => {
  const received: bigint[] = [];
  const edges = await serveEdges({
    echo: {
      echo: ({ note }) => {
        if (note !== undefined) received.push(note.number);
        return Promise.resolve(EchoResponse.create({ note }));
      },
      discard: ({ notes }) => {
        received.push(...notes.map(({ number }) => number));
        return Promise.resolve(DiscardResponse.create());
      },
    },
  });
  const client = edges.echoClient();
  for (const number of beyondDouble) {
    const { note } = await client.echo({ note: Note.create({ number }) });
    expect(note).toMatchObject({ number });
  }
  await client.discard({ notes: beyondDouble.map((number) => Note.create({ number })) });
  expect(received).toEqual([...beyondDouble, ...beyondDouble]);
});

test('bytes, times, durations, names of a list and texts by name arrive exactly, both ways', async () => {
  const sent = Note.create({
    text: 'Größe 🚚', body: Buffer.from(Array.from({ length: 256 }, (_, i) => i)), time: new Date('2026-11-29T17:35:55.123Z'), duration: { seconds: -1n, nanos: -1 },
    kind: NoteKind.URGENT, labels: { 'ключ': 'значение' },
  });
  const received: unknown[] = [];
  const edges = await serveEdges({
    echo: {
      echo: ({ note }) => {
        received.push(note);
        return Promise.resolve(EchoResponse.create({ note }));
      },
    },
  });
  const { note } = await edges.echoClient().echo({ note: sent });
  expect(received).toEqual([sent]);
  expect(note).toEqual(sent);
});

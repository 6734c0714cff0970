import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { CollectResponse, EchoRequest, NoteKind } from './index.js';

describe('the descriptor image', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));

  test('holds two services, one of them with methods of each shape', () => {
    const shapes = files.flatMap((file) => file.service).map((service) => [service.name, service.method.map((m) => [m.name, m.clientStreaming, m.serverStreaming])]);
    expect(shapes).toEqual([
      ['EchoService', [['Echo', false, false], ['Discard', false, false], ['Repeat', false, true], ['Collect', true, false]]],
      ['MirrorService', [['Mirror', false, false]]],
    ]);
  });

  test('holds every file that another imports, so that strict reflection clients accept it', () => {
    const names = files.map((file) => file.name);
    for (const file of files) expect(names).toEqual(expect.arrayContaining(file.dependency));
  });
});

test('notes keep all 64 bits, every byte, and times, on the wire and in JSON', () => {
  for (const number of [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, 0n]) {
    const request = EchoRequest.create({
      note: {
        text: 'ä', number, body: Buffer.from([0, 128, 255]), time: new Date('2026-01-02T03:04:05.678Z'), duration: { seconds: -1n, nanos: -1 },
        kind: NoteKind.URGENT, labels: { 'ключ': 'значение' },
      },
    });
    expect(EchoRequest.decode(EchoRequest.encode(request).finish())).toEqual(request);
    expect(EchoRequest.fromJSON(JSON.parse(JSON.stringify(EchoRequest.toJSON(request))))).toEqual(request);
  }
  expect(CollectResponse.toJSON(CollectResponse.create({ numberSum: -(2n ** 63n) }))).toEqual({ numberSum: '-9223372036854775808' });
});

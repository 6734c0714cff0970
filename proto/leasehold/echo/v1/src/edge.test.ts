import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { CollectResponse, EchoRequest } from './index.js';

test('the descriptor image holds the service with a method of each shape', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  expect(files.flatMap((file) => file.service).flatMap((service) => service.method.map((m) => [m.name, m.clientStreaming, m.serverStreaming]))).toEqual([
    ['Echo', false, false],
    ['Repeat', false, true],
    ['Collect', true, false],
  ]);
});

test('notes keep all 64 bits and every byte, on the wire and in JSON', () => {
  for (const number of [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, 0n]) {
    const request = EchoRequest.create({ note: { text: 'ä', number, body: Buffer.from([0, 128, 255]) }, waitMs: 5 });
    expect(EchoRequest.decode(EchoRequest.encode(request).finish())).toEqual(request);
    expect(EchoRequest.fromJSON(JSON.parse(JSON.stringify(EchoRequest.toJSON(request))))).toEqual(request);
  }
  expect(CollectResponse.toJSON(CollectResponse.create({ numberSum: -(2n ** 63n) }))).toEqual({ numberSum: '-9223372036854775808' });
});

import { UploadFileRequest } from '@leasehold/ingest-v1';
import { expect, test } from 'vitest';
import { ChunkMessages, largestChunkBytes } from './chunk-message.js';

const bytesOf = (size: number): Buffer => Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7));

test.each([1, 127, 128, 16_383, 16_384, largestChunkBytes])('a chunk of %i bytes is the message that the generated encoder makes', (size) => {
  const value = bytesOf(size);
  expect([...new ChunkMessages().of(value)].map(({ bytes }) => Buffer.from(bytes))).toEqual([Buffer.from(UploadFileRequest.encode({ part: { $case: 'chunk', value } }).finish())]);
});

test('a larger chunk goes in several messages, an empty one in none', () => {
  const value = bytesOf(2 * largestChunkBytes + 5);
  const messages = new ChunkMessages();
  const sent: Buffer[] = [];
  for (const { bytes } of messages.of(value)) {
    const { part } = UploadFileRequest.decode(bytes);
    if (part?.$case === 'chunk') sent.push(part.value);
  }
  expect(sent.map((chunk) => chunk.length)).toEqual([largestChunkBytes, largestChunkBytes, 5]);
  expect(Buffer.concat(sent).equals(value)).toBe(true);
  expect([...messages.of(Buffer.alloc(0))]).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { AnimationPolicy, ImagePayload, ImageReason, ImageResult, RenditionFit, RenditionFormat } from './index.js';

test('the contract is messages only: the coordinator must not need it', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  expect(files.flatMap((file) => file.service)).toEqual([]);
  expect(files.flatMap((file) => file.messageType.map((message) => message.name))).toEqual([
    'ImagePayload', 'SourceObject', 'RenditionSpec', 'ImageResult', 'Rendition', 'Placeholder', 'SourceFacts',
  ]);
});

test('a payload keeps its specs in their order, all 64 bits of the size and every byte of the digest, on the wire and in JSON', () => {
  const spec = { maxWidth: 1600, maxHeight: 1600, fit: RenditionFit.INSIDE, quality: 80, effort: 4 };
  const payload = ImagePayload.create({
    source: { key: 'uploads/default/a', versionId: 'v', sizeBytes: 2n ** 63n - 1n, sha256: Buffer.alloc(32, 0xff) }, renditionPrefix: 'renditions/default/a/',
    renditions: [{ ...spec, name: 'photo', format: RenditionFormat.WEBP }, { ...spec, name: 'thumbnail', format: RenditionFormat.AVIF, fit: RenditionFit.COVER }],
    placeholder: true, animation: AnimationPolicy.KEEP,
  });
  expect(ImagePayload.decode(ImagePayload.encode(payload).finish())).toEqual(payload);
  expect(ImagePayload.fromJSON(JSON.parse(JSON.stringify(ImagePayload.toJSON(payload))))).toEqual(payload);
});

test('a result survives the wire and JSON, and one without a placeholder has none', () => {
  const result = ImageResult.create({
    renditions: [{ name: 'photo', key: 'k', versionId: 'v', sha256: Buffer.alloc(32), sizeBytes: 9007199254740993n, width: 1600, height: 1200, contentType: 'image/webp', frames: 3 }],
    source: { format: 'gif', width: 4000, height: 3000, pages: 3 },
  });
  expect(ImageResult.decode(ImageResult.encode(result).finish())).toEqual(result);
  expect(ImageResult.fromJSON(JSON.parse(JSON.stringify(ImageResult.toJSON(result))))).toEqual(result);
  expect(ImageResult.decode(ImageResult.encode(result).finish()).placeholder).toBeUndefined();
});

test('a reader of version 2 skips fields that a later writer added', () => {
  const later = Buffer.concat([ImagePayload.encode(ImagePayload.create({ placeholder: true })).finish(), Buffer.from([0xc2, 0x3e, 1, 7])]);
  expect(ImagePayload.decode(later)).toEqual(ImagePayload.create({ placeholder: true }));
});

test('content reasons lie below 16 and technical ones from there, so that a later reason can be told apart', () => {
  const numbers = Object.values(ImageReason).filter((reason) => reason > 0);
  expect(numbers.filter((reason) => reason < 16)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(numbers.filter((reason) => reason >= 16)).toEqual([16, 17, 18]);
});

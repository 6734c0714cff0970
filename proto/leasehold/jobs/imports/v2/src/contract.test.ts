import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { ImportLayout, ImportMode, ImportPayload, ImportReason, ImportResult } from './index.js';

test('the contract is messages only: the coordinator must not need it', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  expect(files.flatMap((file) => file.service)).toEqual([]);
  const own = files.find((file) => file.name === 'leasehold/jobs/imports/v2/imports.proto');
  expect(own?.messageType.map((message) => message.name)).toEqual(['ImportPayload', 'SourceObject', 'ImportResult']);
});

test('a payload keeps all 64 bits of the size and every byte of the digest, on the wire and in JSON', () => {
  const payload = ImportPayload.create({
    importId: 'SHIP-2026.001', generation: 2, charset: 'windows-1251', mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES,
    source: { key: 'shipments/default/a', versionId: 'v', sizeBytes: 2n ** 63n - 1n, sha256: Buffer.alloc(32, 0xff) },
  });
  expect(ImportPayload.decode(ImportPayload.encode(payload).finish())).toEqual(payload);
  expect(ImportPayload.fromJSON(JSON.parse(JSON.stringify(ImportPayload.toJSON(payload))))).toEqual(payload);
});

test('a result keeps exact counts, also sums of many int32 quantities, on the wire and in JSON', () => {
  const result = ImportResult.create({
    rows: 5_000_000n, zeroRows: 1n, skus: 100_000n, duplicateRows: 4_899_999n, unitsIn: 9007199254740993n, unitsOut: 2n ** 63n - 1n,
    catalogueGeneration: 7n, rejectedRows: 9007199254740993n, applyTime: new Date('2026-01-02T03:04:05.678Z'),
  });
  expect(ImportResult.decode(ImportResult.encode(result).finish())).toEqual(result);
  expect(ImportResult.fromJSON(JSON.parse(JSON.stringify(ImportResult.toJSON(result))))).toEqual(result);
});

test('a reader of version 2 skips fields that a later writer added', () => {
  // Field 1000, length-delimited, one byte: what an additive change would put on the wire.
  const later = Buffer.concat([ImportPayload.encode(ImportPayload.create({ generation: 3 })).finish(), Buffer.from([0xc2, 0x3e, 1, 7])]);
  expect(ImportPayload.decode(later)).toEqual(ImportPayload.create({ generation: 3 }));
});

test('content reasons lie below 16 and technical ones from there, so that a later reason can be told apart', () => {
  const numbers = Object.values(ImportReason).filter((reason) => reason > 0);
  expect(numbers.filter((reason) => reason < 16)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  expect(numbers.filter((reason) => reason >= 16)).toEqual([16, 17, 18, 19]);
});

import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import {
  CreateFileResponse, FileState, GetFileResponse, GetImportResponse, GetStockResponse, ImportState, RejectionReason, SubmitImportRequest, UploadFileRequest,
} from './index.js';

const largest = 2n ** 63n - 1n;

describe('the descriptor image', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));

  test.each([
    ['file', 'FileService', ['CreateFile', 'UploadFile', 'ConfirmFile', 'GetFile', 'ListFiles', 'WatchFile', 'DownloadFile', 'GetDownloadUrl', 'RetryFile', 'DeleteFile']],
    ['import', 'ImportService', ['SubmitImport', 'GetImport', 'ListImports', 'ListImportRowErrors', 'WatchImport', 'CancelImport', 'RetryImport']],
    ['stock', 'StockService', ['GetStock', 'ListStock']],
  ])('holds the service of %ss with each RPC and its comment', (noun, name, methods) => {
    const edge = files.find((file) => file.name === `leasehold/ingest/v1/${noun}_service.proto`);
    expect(edge?.service.map((service) => [service.name, service.method.map((method) => method.name)])).toEqual([[name, methods]]);
    const comment = (path: string) => edge?.sourceCodeInfo?.location.find((at) => at.path.join('.') === path)?.leadingComments;
    for (const index of methods.keys()) expect(comment(`6.0.2.${index}`)).toMatch(/\w/);
  });

  test('holds every file that another imports, so that strict reflection clients accept it', () => {
    const names = files.map((file) => file.name);
    for (const file of files) expect(names).toEqual(expect.arrayContaining(file.dependency));
  });
});

test('a card keeps all 64 bits of its sizes and fence, on the wire and in JSON', () => {
  const response = GetFileResponse.create({
    file: {
      name: 'namespaces/default/files/a', state: FileState.READY, generation: 1, createTime: new Date('2026-01-02T03:04:05.678Z'),
      source: { versionId: 'v', sizeBytes: 9007199254740993n, sha256: Buffer.alloc(32, 0xff) },
      rendition: { contentType: 'image/webp', sizeBytes: largest, fence: largest, sha256: Buffer.alloc(32) },
    },
  });
  expect(GetFileResponse.decode(GetFileResponse.encode(response).finish())).toEqual(response);
  expect(GetFileResponse.fromJSON(JSON.parse(JSON.stringify(GetFileResponse.toJSON(response))))).toEqual(response);
  expect(GetFileResponse.toJSON(response)).toMatchObject({ file: { rendition: { fence: '9223372036854775807' } } });
});

test('an import and the stock that it made keep every unit, on the wire and in JSON', () => {
  const response = GetImportResponse.create({
    import: {
      name: 'namespaces/default/imports/SHIP-1', state: ImportState.APPLIED, generation: 1, endTime: new Date('2026-01-02T03:04:05.678Z'),
      result: { rows: 3n, skus: 3n, unitsIn: largest, catalogueGeneration: 9007199254740993n },
    },
  });
  expect(GetImportResponse.decode(GetImportResponse.encode(response).finish())).toEqual(response);
  expect(GetImportResponse.fromJSON(JSON.parse(JSON.stringify(GetImportResponse.toJSON(response))))).toEqual(response);
  const stock = GetStockResponse.create({ items: [{ sku: '00123', quantity: largest }], catalogue: { generation: largest, tag: 't' } });
  expect(GetStockResponse.decode(GetStockResponse.encode(stock).finish())).toEqual(stock);
});

test('a batch that is remembered for ever has no idempotency term, rather than one that ended in 1970', () => {
  const { import: applied } = GetImportResponse.decode(GetImportResponse.encode(GetImportResponse.create({ import: { name: 'n' } })).finish());
  expect(applied).toMatchObject({ idempotencyExpireTime: undefined, rejection: undefined, progress: undefined });
});

test('what is unset stays unset, so that a card without a rejection is not rejected for an unspecified reason', () => {
  const response = GetFileResponse.create({ file: { name: 'n', state: FileState.REJECTED, rejection: { reason: RejectionReason.CORRUPT } } });
  const { file } = GetFileResponse.decode(GetFileResponse.encode(response).finish());
  expect(file).toMatchObject({ rejection: { reason: RejectionReason.CORRUPT }, rendition: undefined, progress: undefined, deleteTime: undefined });
});

test('an upload target keeps its headers', () => {
  const response = CreateFileResponse.create({ uploadTarget: { url: 'http://localhost/x', method: 'PUT', headers: { 'content-type': 'image/png', 'x-a': '' } } });
  expect(CreateFileResponse.decode(CreateFileResponse.encode(response).finish())).toEqual(response);
});

test('a part of an upload is the name or spec, or a chunk, never both', () => {
  const part = { $case: 'chunk' as const, value: Buffer.from([1, 2, 3]) };
  expect(SubmitImportRequest.decode(SubmitImportRequest.encode({ part }).finish())).toEqual({ part });
  const bytes = UploadFileRequest.encode({ part: { $case: 'chunk', value: Buffer.from([1, 2, 3]) } }).finish();
  expect(UploadFileRequest.decode(bytes)).toEqual({ part: { $case: 'chunk', value: Buffer.from([1, 2, 3]) } });
});

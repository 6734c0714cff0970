import { ImportPayload, ImportResult } from '@leasehold/jobs-imports-v1';
import { UnreadableContract } from '@leasehold/worker-runtime';
import { describe, expect, test } from 'vitest';
import { contractV1 } from './codec.js';

const source = { key: 'shipments/team/monday', versionId: 'v', sizeBytes: 5n, sha256: Buffer.alloc(32, 7) };
const encoded = (over: Partial<ImportPayload> = {}): Uint8Array => ImportPayload.encode({ importId: 'monday', generation: 2, source, charset: 'windows-1251', ...over }).finish();

describe('a payload', () => {
  test('is read whole', () => {
    expect(contractV1.decode(encoded())).toEqual({ importId: 'monday', generation: 2, source: { ...source, sizeBytes: 5 }, charset: 'windows-1251', mode: 'atomic', layout: 'single' });
  });

  test('need not declare a charset', () => {
    expect(contractV1.decode(encoded({ charset: '' })).charset).toBeUndefined();
  });

  test.each<[string, Uint8Array]>([
    ['bytes that are no message', Buffer.from([0x0a, 0xff])],
    ['no import', encoded({ importId: '' })],
    ['an import that no caller can have named', encoded({ importId: '../../../monday' })],
    ['no generation', encoded({ generation: 0 })],
    ['no source', encoded({ source: undefined })],
    ['a source without a version', encoded({ source: { ...source, versionId: '' } })],
    ['no digest', encoded({ source: { ...source, sha256: Buffer.alloc(0) } })],
    ['a digest of another length', encoded({ source: { ...source, sha256: Buffer.alloc(20) } })],
    ['a negative size', encoded({ source: { ...source, sizeBytes: -1n } })],
    ['a charset that this build does not know', encoded({ charset: 'koi8-r' })],
  ])('that breaks its contract is handed back unread: %s', (_, payload) => {
    expect(() => contractV1.decode(payload)).toThrow(UnreadableContract);
  });
});

test('a result crosses the wire whole, beyond what a double holds', () => {
  const done = {
    rows: 5n, zeroRows: 1n, skus: 3n, duplicateRows: 2n, unitsIn: 9_007_199_254_740_993n, unitsOut: 4n, catalogueGeneration: 8n, applyTime: new Date('2026-03-01T12:00:00.123Z'),
  };
  expect(ImportResult.decode(contractV1.encode?.({ ...done, rejectedRows: 0n, warehouses: 1n }) ?? new Uint8Array())).toEqual(done);
});

import { ImportPayload } from '@leasehold/jobs-imports-v1';
import { describe, expect, test } from 'vitest';
import { importContracts, importJobDigest, type ImportJob } from './import-contracts.js';

const source = { key: 'shipments/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7) };
const job: ImportJob = { importId: 'b', generation: 3, source, charset: 'windows-1251' };

describe('the contract import@1', () => {
  test('a payload says the whole job', () => {
    expect(ImportPayload.decode(importContracts.preferred.encode(job))).toEqual(job);
  });

  test('the digest is over the content: equal for equal jobs, another when any field differs', () => {
    const others: Partial<ImportJob>[] = [
      { importId: 'c' }, { generation: 4 }, { charset: '' }, { source: { ...source, key: 'shipments/a/c' } }, { source: { ...source, versionId: 'w' } },
      { source: { ...source, sizeBytes: 2n ** 53n } }, { source: { ...source, sha256: Buffer.alloc(32, 8) } },
    ];
    const digests = [job, ...others.map((other) => ({ ...job, ...other }))].map((each) => importJobDigest(each).toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
    expect(importJobDigest({ ...job, source: { ...source, sha256: Buffer.from(source.sha256) } }).toString('hex')).toBe(digests[0]);
  });
});

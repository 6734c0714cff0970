import { createHash } from 'node:crypto';
import { ImportPayload } from '@leasehold/jobs-imports-v1';
import { ImportLayout, ImportMode, ImportPayload as PayloadV2 } from '@leasehold/jobs-imports-v2';
import { describe, expect, test } from 'vitest';
import { importContracts, importJobDigest, type ImportJob } from './import-contracts.js';

const source = { key: 'shipments/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7) };
const job: ImportJob = { importId: 'b', generation: 3, source, charset: 'windows-1251', mode: 'atomic', layout: 'single' };

const special = (['partial', 'atomic'] as const).flatMap((mode) => (['warehouses', 'single'] as const).map((layout) => ({ ...job, mode, layout }))).slice(0, 3);

describe('V5: the contracts import@1 and import@2', () => {
  test('a payload of version 1 says the whole job, which asks for nothing beyond the usual', () => {
    const { mode: _, layout: __, ...said } = job;
    expect(ImportPayload.decode(importContracts.of(1)?.encode(job) ?? Buffer.alloc(0))).toEqual(said);
    expect([job, ...special].map((each) => importContracts.of(1)?.canSay(each))).toEqual([true, false, false, false]);
  });

  test('version 2 says every job', () => {
    const says = (each: ImportJob) => PayloadV2.decode(importContracts.of(2)?.encode(each) ?? Buffer.alloc(0));
    expect(says(job)).toEqual({ ...job, mode: ImportMode.ATOMIC, layout: ImportLayout.SINGLE });
    expect(special.map(says)).toMatchObject([
      { mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES }, { mode: ImportMode.PARTIAL, layout: ImportLayout.SINGLE }, { mode: ImportMode.ATOMIC, layout: ImportLayout.WAREHOUSES },
    ]);
    expect([job, ...special].every((each) => importContracts.of(2)?.canSay(each))).toBe(true);
  });

  test('the digest of a job that both can say is that of the release before there were two', () => {
    expect(importJobDigest(job).toString('hex')).toBe(createHash('sha256').update(JSON.stringify(['import', 'b', 3, 'shipments/a/b', 'v', String(2n ** 53n + 1n), '07'.repeat(32), 'windows-1251'])).digest('hex'));
  });

  test('the digest is over the content: equal for equal jobs, another when any field differs', () => {
    const others: Partial<ImportJob>[] = [
      { importId: 'c' }, { generation: 4 }, { charset: '' }, { source: { ...source, key: 'shipments/a/c' } }, { source: { ...source, versionId: 'w' } },
      { mode: 'partial' }, { layout: 'warehouses' }, { mode: 'partial', layout: 'warehouses' }, { source: { ...source, sizeBytes: 2n ** 53n } }, { source: { ...source, sha256: Buffer.alloc(32, 8) } },
    ];
    const digests = [job, ...others.map((other) => ({ ...job, ...other }))].map((each) => importJobDigest(each).toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
    expect(importJobDigest({ ...job, source: { ...source, sha256: Buffer.from(source.sha256) } }).toString('hex')).toBe(digests[0]);
  });
});

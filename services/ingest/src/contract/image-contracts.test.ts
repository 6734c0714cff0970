import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Contracts, UnreadableResult } from '../jobs/contracts.js';
import { digestOf, imageContracts, type ImageContract, type ImageJob } from './image-contracts.js';

const v1 = imageContracts.preferred;
const contract = (version: number): ImageContract => ({ ...v1, version });
const job: ImageJob = { sourceKey: 'uploads/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7), renditionPrefix: 'renditions/a/b/', maxWidth: 1600, maxHeight: 900, quality: 80, effort: 4 };
const done = {
  rendition: { key: 'renditions/a/b/5/photo.webp', versionId: 'r', sha256: Buffer.alloc(32, 9), sizeBytes: 99n, width: 160, height: 90, contentType: 'image/webp' },
  source: { format: 'jpeg', width: 1600, height: 900, pages: 1 },
};

describe('the contract image@1', () => {
  test('a payload says the whole job', () => {
    expect(ImagePayload.decode(v1.encode(job))).toEqual({
      source: { key: 'uploads/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7) },
      renditionPrefix: 'renditions/a/b/', maxWidth: 1600, maxHeight: 900, quality: 80, effort: 4,
    });
  });

  test('a whole result is read', () => {
    expect(v1.decode(ImageResult.encode(done).finish())).toMatchObject({ key: done.rendition.key, sizeBytes: 99n, sourceWidth: 1600, contentType: 'image/webp' });
  });

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['no message', Buffer.from([0xff, 0xff, 0xff])],
    ['no source facts', ImageResult.encode({ ...done, source: undefined }).finish()],
    ['a short digest', ImageResult.encode({ ...done, rendition: { ...done.rendition, sha256: Buffer.alloc(31) } }).finish()],
    ['no version', ImageResult.encode({ ...done, rendition: { ...done.rendition, versionId: '' } }).finish()],
    ['a negative width', ImageResult.encode({ ...done, rendition: { ...done.rendition, width: -1 } }).finish()],
    ['another content type', ImageResult.encode({ ...done, rendition: { ...done.rendition, contentType: 'text/html' } }).finish()],
  ])('a result with %s is unreadable, never half read', (_, bytes) => {
    expect(() => v1.decode(bytes)).toThrow(UnreadableResult);
  });

  test('random bytes are read whole or refused as unreadable', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(v1.decode(bytes).sha256).toHaveLength(32);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableResult);
      }
    }));
  });
});

describe('the digest', () => {
  test('is over the content: equal for equal jobs, another when any field differs', () => {
    const others: Partial<ImageJob>[] = [
      { sourceKey: 'uploads/a/c' }, { versionId: 'w' }, { sizeBytes: 2n ** 53n }, { sha256: Buffer.alloc(0) }, { renditionPrefix: 'renditions/a/c/' }, { maxWidth: 1 }, { maxHeight: 1 }, { quality: 1 }, { effort: 1 },
    ];
    const digests = [job, ...others.map((other) => ({ ...job, ...other }))].map((each) => digestOf(each).toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf({ ...job, sha256: Buffer.from(job.sha256) }).equals(digestOf(job))).toBe(true);
  });
});

describe('several versions', () => {
  test('a closed version leads to the next one, round and round; a single one leads nowhere', () => {
    const both = new Contracts([contract(2), contract(1)]);
    expect(both.preferred.version).toBe(2);
    expect([both.after(2)?.version, both.after(1)?.version]).toEqual([1, 2]);
    expect(imageContracts.after(1)).toBeUndefined();
  });
});

import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import * as v2 from '@leasehold/jobs-image-v2';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnreadableResult } from '../jobs/contracts.js';
import { imageContracts } from './image-contracts.js';
import { digestOf, type ImageJob } from './image-job.js';
import { imageV1 } from './image/v1/codec.js';
import { imageV2 } from './image/v2/codec.js';
import type { PictureOrder, RenditionSpec } from './picture-order.js';

const photo: RenditionSpec = { name: 'photo', format: 'webp', fit: 'inside', maxWidth: 1600, maxHeight: 900, quality: 80, effort: 4 };
const onePhoto: PictureOrder = { renditions: [photo], placeholder: false, animation: 'first-frame' };
const job: ImageJob = { sourceKey: 'uploads/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7), renditionPrefix: 'renditions/a/b/', pictures: onePhoto };
const withPictures = (over: Partial<PictureOrder>): ImageJob => ({ ...job, pictures: { ...onePhoto, ...over } });
const withPhoto = (over: Partial<RenditionSpec>): ImageJob => withPictures({ renditions: [{ ...photo, ...over }] });
const needsV2: Record<string, ImageJob> = {
  'several renditions': withPictures({ renditions: [photo, { ...photo, name: 'card' }] }), 'another name': withPhoto({ name: 'card' }), 'another format': withPhoto({ format: 'jpeg', effort: 0 }),
  'another fit': withPhoto({ fit: 'cover' }), 'a placeholder': withPictures({ placeholder: true }), 'a policy for animation': withPictures({ animation: 'keep' }),
};
const source = { format: 'jpeg', width: 1600, height: 900, pages: 1 };
const rendition = { key: 'renditions/a/b/5/photo.webp', versionId: 'r', sha256: Buffer.alloc(32, 9), sizeBytes: 99n, width: 160, height: 90, contentType: 'image/webp' };
const done = { rendition, source };
const doneV2 = { renditions: [{ ...rendition, name: 'photo', frames: 1 }], placeholder: undefined, source };

test('the contract image@1: a payload says the whole job', () => {
  expect(ImagePayload.decode(imageV1.encode(job))).toEqual({
    source: { key: 'uploads/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7) },
    renditionPrefix: 'renditions/a/b/', maxWidth: 1600, maxHeight: 900, quality: 80, effort: 4,
  });
});

test('the contract image@2: a payload says the whole job', () => {
  const pictures: PictureOrder = { renditions: [photo, { name: 'card', format: 'avif', fit: 'cover', maxWidth: 64, maxHeight: 64, quality: 50, effort: 9 }], placeholder: true, animation: 'keep' };
  expect(v2.ImagePayload.decode(imageV2.encode({ ...job, pictures }))).toEqual({
    source: { key: 'uploads/a/b', versionId: 'v', sizeBytes: 2n ** 53n + 1n, sha256: Buffer.alloc(32, 7) },
    renditionPrefix: 'renditions/a/b/',
    renditions: [
      { name: 'photo', format: v2.RenditionFormat.WEBP, fit: v2.RenditionFit.INSIDE, maxWidth: 1600, maxHeight: 900, quality: 80, effort: 4 },
      { name: 'card', format: v2.RenditionFormat.AVIF, fit: v2.RenditionFit.COVER, maxWidth: 64, maxHeight: 64, quality: 50, effort: 9 },
    ],
    placeholder: true,
    animation: v2.AnimationPolicy.KEEP,
  });
});

test('a result of the same is read the same from both versions', () => {
  const read = imageV1.decode(ImageResult.encode(done).finish());
  expect(read).toEqual({ renditions: [{ ...rendition, name: 'photo', frames: 1 }], placeholder: undefined, sourceWidth: 1600, sourceHeight: 900 });
  expect(imageV2.decode(v2.ImageResult.encode(doneV2).finish())).toEqual(read);
});

describe('a result is unreadable, never half read', () => {
  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['no message', Buffer.from([0xff, 0xff, 0xff])],
    ['no source facts', ImageResult.encode({ ...done, source: undefined }).finish()],
    ['a short digest', ImageResult.encode({ ...done, rendition: { ...rendition, sha256: Buffer.alloc(31) } }).finish()],
    ['no version', ImageResult.encode({ ...done, rendition: { ...rendition, versionId: '' } }).finish()],
    ['a negative width', ImageResult.encode({ ...done, rendition: { ...rendition, width: -1 } }).finish()],
    ['another content type', ImageResult.encode({ ...done, rendition: { ...rendition, contentType: 'text/html' } }).finish()],
  ])('of version 1, with %s', (_, bytes) => {
    expect(() => imageV1.decode(bytes)).toThrow(UnreadableResult);
  });

  test.each([
    ['nothing made', { ...doneV2, renditions: [] }],
    ['one of several without its digest', { ...doneV2, renditions: [...doneV2.renditions, { ...rendition, name: 'card', frames: 1, sha256: Buffer.alloc(0) }] }],
    ['a rendition without a name', { ...doneV2, renditions: [{ ...rendition, name: '', frames: 1 }] }],
    ['a placeholder that is too large', { ...doneV2, placeholder: { webp: Buffer.alloc(1025), width: 32, height: 32 } }],
    ['a placeholder of no bytes', { ...doneV2, placeholder: { webp: Buffer.alloc(0), width: 32, height: 32 } }],
  ])('of version 2, with %s', (_, result) => {
    expect(() => imageV2.decode(v2.ImageResult.encode(result).finish())).toThrow(UnreadableResult);
  });

  test.each(imageContracts.versions)('random bytes are read whole or refused as unreadable, by version %i', (version) => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(imageContracts.of(version)?.decode(bytes).renditions[0].sha256).toHaveLength(32);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableResult);
      }
    }));
  });
});

describe('the digest', () => {
  test('is over the content: equal for equal jobs, another when any field differs', () => {
    const others: ImageJob[] = [
      { ...job, sourceKey: 'uploads/a/c' }, { ...job, versionId: 'w' }, { ...job, sizeBytes: 2n ** 53n }, { ...job, sha256: Buffer.alloc(0) }, { ...job, renditionPrefix: 'renditions/a/c/' },
      withPhoto({ maxWidth: 1 }), withPhoto({ maxHeight: 1 }), withPhoto({ quality: 1 }), withPhoto({ effort: 1 }), ...Object.values(needsV2),
    ];
    const digests = [job, ...others].map((each) => digestOf(each).toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf({ ...job, sha256: Buffer.from(job.sha256) }).equals(digestOf(job))).toBe(true);
  });

  test('of what version 1 can say stays that of the release that knew only version 1: its stored jobs are the same jobs', () => {
    expect(digestOf(job).toString('hex')).toBe('bcb2d9f9241e5f915268f6ad7c185e5e765ef1ea59c10d949fe13e0da1ce9814');
  });
});

describe('V5: two versions', () => {
  test('version 1 says one WebP and nothing else, version 2 says all', () => {
    expect([imageV1.canSay(job), imageV2.canSay(job)]).toEqual([true, true]);
    expect(Object.entries(needsV2).filter(([, each]) => imageV1.canSay(each) || !imageV2.canSay(each))).toEqual([]);
  });

  test('a closed version leads to the next one, round and round; a single one leads nowhere', () => {
    expect(imageContracts.preferred.version).toBe(1);
    expect([imageContracts.after(2)?.version, imageContracts.after(1)?.version]).toEqual([1, 2]);
    expect(imageContracts.only([2]).after(2)).toBeUndefined();
  });

  test('an operator can restrict what is written and read', () => {
    expect(imageContracts.only([1]).versions).toEqual([1]);
    expect(() => imageContracts.only([3])).toThrow(RangeError);
    expect(() => imageContracts.only([])).toThrow(RangeError);
  });
});

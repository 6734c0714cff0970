import * as v1 from '@leasehold/jobs-image-v1';
import * as v2 from '@leasehold/jobs-image-v2';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultLimits as limits } from '../rendering/limits.js';
import { makePhotoHere } from '../rendering/photo-making.js';
import { testFile } from '../testing/manifest.js';
import { contractV1 } from './contracts/v1/codec.js';
import { contractV2 } from './contracts/v2/codec.js';

const source = { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5n, sha256: Buffer.alloc(32, 7) };
const renditionPrefix = 'renditions/t/f/';
const asked = fc.record({ maxWidth: fc.integer({ min: 1, max: 16_383 }), maxHeight: fc.integer({ min: 1, max: 16_383 }), quality: fc.integer({ min: 1, max: 100 }), effort: fc.integer({ min: 0, max: 6 }) });
const files = ['img-gps.jpg', 'img-alpha-soft-edge.png', 'img-anim-3frames.gif', 'img-rgb16.png'].map(testFile);

test('V5: a payload of version 1 is the order that version 2 says, and makes the same bytes', async () => {
  await fc.assert(fc.asyncProperty(asked, fc.constantFrom(...files), async (options, file) => {
    const old = contractV1.decode(v1.ImagePayload.encode(v1.ImagePayload.create({ source, renditionPrefix, ...options })).finish());
    const spec = { name: 'photo', format: v2.RenditionFormat.WEBP, fit: v2.RenditionFit.INSIDE, ...options };
    const same = contractV2.decode(v2.ImagePayload.encode(v2.ImagePayload.create({ source, renditionPrefix, renditions: [spec], animation: v2.AnimationPolicy.FIRST_FRAME })).finish());
    expect(old).toEqual(same);
    expect(await makePhotoHere(file, { order: old.pictures, limits })).toEqual(await makePhotoHere(file, { order: same.pictures, limits }));
  }), { numRuns: 12 });
});

test('V5: what was made is said by both versions alike', () => {
  const made = {
    renditions: [{ name: 'photo', key: 'renditions/t/f/7/photo.webp', versionId: 'r', sha256: Buffer.alloc(32, 1), sizeBytes: 9, width: 3, height: 2, contentType: 'image/webp', frames: 1 }],
    placeholder: undefined,
    source: { format: 'jpeg', width: 30, height: 20, pages: 1 },
  };
  const { rendition, source: facts } = v1.ImageResult.decode(contractV1.encode?.(made) ?? new Uint8Array());
  const { renditions, source: factsOfBoth } = v2.ImageResult.decode(contractV2.encode?.(made) ?? new Uint8Array());
  expect(renditions).toEqual([{ name: 'photo', frames: 1, ...rendition }]);
  expect(facts).toEqual(factsOfBoth);
});

import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { UnreadableContract } from '@leasehold/worker-runtime';
import { describe, expect, test } from 'vitest';
import { contractV1 } from './codec.js';

const whole = ImagePayload.create({
  source: { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5n, sha256: Buffer.alloc(32, 7) },
  renditionPrefix: 'renditions/t/f/', maxWidth: 1600, maxHeight: 1200, quality: 80, effort: 0,
});
const encoded = (over: Partial<ImagePayload> = {}): Uint8Array => ImagePayload.encode({ ...whole, ...over }).finish();
const source = (over: object): Partial<ImagePayload> => ({ source: { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5n, sha256: Buffer.alloc(0), ...over } });

describe('a payload', () => {
  test('is read whole, as one WebP of the model', () => {
    expect(contractV1.decode(encoded())).toEqual({
      source: { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5, sha256: Buffer.alloc(32, 7) },
      renditionPrefix: 'renditions/t/f/',
      pictures: { renditions: [{ name: 'photo', format: 'webp', maxWidth: 1600, maxHeight: 1200, fit: 'inside', quality: 80, effort: 0 }], placeholder: false, animation: 'first-frame' },
    });
  });

  test('need not say the source\'s digest', () => {
    expect(contractV1.decode(encoded(source({}))).source.sha256).toBeUndefined();
  });

  test.each<[string, Uint8Array]>([
    ['bytes that are no message', Buffer.from([0x0a, 0xff])],
    ['no source', encoded({ source: undefined })],
    ['a source without a version', encoded(source({ versionId: '' }))],
    ['a digest of another length', encoded(source({ sha256: Buffer.alloc(20) }))],
    ['a negative size', encoded(source({ sizeBytes: -1n }))],
    ['no box', encoded({ maxWidth: 0 })],
    ['a box that no WebP can fill', encoded({ maxHeight: 16384 })],
    ['no quality', encoded({ quality: 0 })],
    ['too much effort', encoded({ effort: 7 })],
  ])('that breaks its contract is handed back unread: %s', (_, payload) => {
    expect(() => contractV1.decode(payload)).toThrow(UnreadableContract);
  });
});

test('a result crosses the wire whole', () => {
  const bytes = contractV1.encode?.({
    renditions: [{ name: 'photo', key: 'k', versionId: 'v', sha256: Buffer.alloc(32, 1), sizeBytes: 9, width: 3, height: 2, contentType: 'image/webp', frames: 1 }],
    placeholder: undefined,
    source: { format: 'avif', width: 30, height: 20, pages: 1 },
  });
  expect(ImageResult.toJSON(ImageResult.decode(bytes ?? new Uint8Array()))).toEqual({
    rendition: { key: 'k', versionId: 'v', sha256: Buffer.alloc(32, 1).toString('base64'), sizeBytes: '9', width: 3, height: 2, contentType: 'image/webp' },
    source: { format: 'avif', width: 30, height: 20, pages: 1 },
  });
});

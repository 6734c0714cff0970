import { AnimationPolicy, ImagePayload, ImageResult, RenditionFit, RenditionFormat, RenditionSpec } from '@leasehold/jobs-image-v2';
import { UnreadableContract } from '@leasehold/worker-runtime';
import { describe, expect, test } from 'vitest';
import { contractV2 } from './codec.js';

const spec = (over: Partial<RenditionSpec> = {}): RenditionSpec =>
  RenditionSpec.create({ name: 'page', format: RenditionFormat.WEBP, maxWidth: 1600, maxHeight: 1200, fit: RenditionFit.INSIDE, quality: 80, effort: 4, ...over });
const whole = ImagePayload.create({
  source: { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5n, sha256: Buffer.alloc(32, 7) }, renditionPrefix: 'renditions/t/f/',
  renditions: [spec(), spec({ name: 'card', format: RenditionFormat.JPEG, fit: RenditionFit.COVER, effort: 0 }), spec({ name: 'modern', format: RenditionFormat.AVIF, effort: 9 })],
  placeholder: true, animation: AnimationPolicy.KEEP,
});
const encoded = (over: Partial<ImagePayload> = {}): Uint8Array => ImagePayload.encode({ ...whole, ...over }).finish();

describe('a payload', () => {
  test('is read whole', () => {
    expect(contractV2.decode(encoded())).toEqual({
      source: { key: 'uploads/t/f', versionId: 'v', sizeBytes: 5, sha256: Buffer.alloc(32, 7) },
      renditionPrefix: 'renditions/t/f/',
      pictures: {
        renditions: [
          { name: 'page', format: 'webp', maxWidth: 1600, maxHeight: 1200, fit: 'inside', quality: 80, effort: 4 },
          { name: 'card', format: 'jpeg', maxWidth: 1600, maxHeight: 1200, fit: 'cover', quality: 80, effort: 0 },
          { name: 'modern', format: 'avif', maxWidth: 1600, maxHeight: 1200, fit: 'inside', quality: 80, effort: 9 },
        ],
        placeholder: true,
        animation: 'keep',
      },
    });
  });

  test.each<[string, Uint8Array]>([
    ['bytes that are no message', Buffer.from([0x0a, 0xff])],
    ['no source', encoded({ source: undefined })],
    ['nothing to make', encoded({ renditions: [] })],
    ['nine renditions', encoded({ renditions: Array.from({ length: 9 }, (_, i) => spec({ name: `r${i}` })) })],
    ['a name twice', encoded({ renditions: [spec(), spec()] })],
    ['a name that leads elsewhere', encoded({ renditions: [spec({ name: '../../../photo' })] })],
    ['no name', encoded({ renditions: [spec({ name: '' })] })],
    ['no format', encoded({ renditions: [spec({ format: RenditionFormat.UNSPECIFIED })] })],
    ['a format of later', encoded({ renditions: [spec({ format: RenditionFormat.UNRECOGNIZED })] })],
    ['no fit', encoded({ renditions: [spec({ fit: RenditionFit.UNSPECIFIED })] })],
    ['no box', encoded({ renditions: [spec({ maxWidth: 0 })] })],
    ['a box that no WebP can fill', encoded({ renditions: [spec({ maxHeight: 16_384 })] })],
    ['no quality', encoded({ renditions: [spec({ quality: 0 })] })],
    ['too much effort for a WebP', encoded({ renditions: [spec({ effort: 7 })] })],
    ['too much effort for an AVIF', encoded({ renditions: [spec({ format: RenditionFormat.AVIF, effort: 10 })] })],
    ['no policy for animation', encoded({ animation: AnimationPolicy.UNSPECIFIED })],
  ])('that breaks its contract is handed back unread: %s', (_, payload) => {
    expect(() => contractV2.decode(payload)).toThrow(UnreadableContract);
  });
});

test('a result crosses the wire whole', () => {
  const made = { key: 'k', versionId: 'v', sha256: Buffer.alloc(32, 1), sizeBytes: 9, width: 3, height: 2, contentType: 'image/webp', frames: 4 };
  const bytes = contractV2.encode?.({
    renditions: [{ name: 'page', ...made }, { name: 'card', ...made, contentType: 'image/jpeg', frames: 1 }],
    placeholder: { webp: Buffer.from('tiny'), width: 3, height: 2 },
    source: { format: 'gif', width: 30, height: 20, pages: 4 },
  });
  expect(ImageResult.decode(bytes ?? new Uint8Array())).toEqual({
    renditions: [{ name: 'page', ...made, sizeBytes: 9n }, { name: 'card', ...made, sizeBytes: 9n, contentType: 'image/jpeg', frames: 1 }],
    placeholder: { webp: Buffer.from('tiny'), width: 3, height: 2 },
    source: { format: 'gif', width: 30, height: 20, pages: 4 },
  });
});

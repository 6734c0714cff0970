import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { readPayload, requireWithin, sourceVersionOf, type ContractCodec } from '@leasehold/worker-runtime';
import { longestSide } from '../v2/codec.js';
import type { PhotoMade, PhotoOrder } from '../../order.js';

/** Between image@1 on the wire and the model: what version 1 can say is one WebP named `photo`, of the first frame. */
export const contractV1: ContractCodec<PhotoOrder, PhotoMade> = {
  /** Throws UnreadableContract for bytes that are no image@1, and for values that image.proto rules out: another build may know better. */
  decode(payload) {
    const { source, renditionPrefix, maxWidth, maxHeight, quality, effort } = readPayload(payload, ImagePayload, 'ImagePayload');
    requireWithin('max_width', maxWidth, 1, longestSide);
    requireWithin('max_height', maxHeight, 1, longestSide);
    requireWithin('quality', quality, 1, 100);
    requireWithin('effort', effort, 0, 6);
    const photo = { name: 'photo', format: 'webp', maxWidth, maxHeight, fit: 'inside', quality, effort } as const;
    return { source: sourceVersionOf(source), renditionPrefix, pictures: { renditions: [photo], placeholder: false, animation: 'first-frame' } };
  },

  encode({ renditions, source }) {
    const [photo] = renditions;
    if (photo === undefined) throw new Error('nothing was made');
    const { key, versionId, sha256, sizeBytes, width, height, contentType } = photo;
    return ImageResult.encode(ImageResult.create({ rendition: { key, versionId, sha256, sizeBytes: BigInt(sizeBytes), width, height, contentType }, source })).finish();
  },
};

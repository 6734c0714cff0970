import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { readPayload, requireWithin, sourceVersionOf, type ContractCodec } from '@leasehold/worker-runtime';
import type { PhotoMade, PhotoOrder } from './order.js';

const LONGEST_WEBP_SIDE = 16383;

/** Between image@1 on the wire and the model. */
export const contractV1: ContractCodec<PhotoOrder, PhotoMade> = {
  /** Throws UnreadableContract for bytes that are no image@1, and for values that image.proto rules out: another build may know better. */
  decode(payload) {
    const { source, renditionPrefix, maxWidth, maxHeight, quality, effort } = readPayload(payload, ImagePayload, 'ImagePayload');
    requireWithin('max_width', maxWidth, 1, LONGEST_WEBP_SIDE);
    requireWithin('max_height', maxHeight, 1, LONGEST_WEBP_SIDE);
    requireWithin('quality', quality, 1, 100);
    requireWithin('effort', effort, 0, 6);
    return { source: sourceVersionOf(source), renditionPrefix, spec: { maxWidth, maxHeight, quality, effort } };
  },

  encode({ rendition, source }) {
    return ImageResult.encode(ImageResult.create({
      rendition: { ...rendition, sizeBytes: BigInt(rendition.sizeBytes), contentType: 'image/webp' },
      source,
    })).finish();
  },
};

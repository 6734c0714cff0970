import { ImagePayload, ImageResult, type SourceObject } from '@leasehold/jobs-image-v1';
import { UnreadableContract, type ContractCodec } from '@leasehold/worker-runtime';
import type { PhotoMade, PhotoOrder, Source } from './order.js';

const LONGEST_WEBP_SIDE = 16383;

/** Between image@1 on the wire and the model. */
export const contractV1: ContractCodec<PhotoOrder, PhotoMade> = {
  /** Throws UnreadableContract for bytes that are no image@1, and for values that image.proto rules out: another build may know better. */
  decode(payload) {
    const { source, renditionPrefix, maxWidth, maxHeight, quality, effort } = decoded(payload);
    if (source === undefined) throw new UnreadableContract('source is not set');
    within('max_width', maxWidth, 1, LONGEST_WEBP_SIDE);
    within('max_height', maxHeight, 1, LONGEST_WEBP_SIDE);
    within('quality', quality, 1, 100);
    within('effort', effort, 0, 6);
    return { source: sourceOf(source), renditionPrefix, spec: { maxWidth, maxHeight, quality, effort } };
  },

  encode({ rendition, source }) {
    return ImageResult.encode(ImageResult.create({
      rendition: { ...rendition, sizeBytes: BigInt(rendition.sizeBytes), contentType: 'image/webp' },
      source,
    })).finish();
  },
};

function decoded(payload: Uint8Array): ImagePayload {
  try {
    return ImagePayload.decode(payload);
  } catch (cause) {
    throw new UnreadableContract('the payload is no ImagePayload', { cause });
  }
}

function sourceOf({ key, versionId, sizeBytes, sha256 }: SourceObject): Source {
  if (key === '' || versionId === '') throw new UnreadableContract('source names no version');
  within('source.sha256', sha256.length, sha256.length === 0 ? 0 : 32, 32);
  within('source.size_bytes', Number(sizeBytes), 0, Number.MAX_SAFE_INTEGER);
  return { key, versionId, sizeBytes: Number(sizeBytes), sha256: sha256.length === 0 ? undefined : sha256 };
}

function within(field: string, value: number, least: number, most: number): void {
  if (value < least || value > most) throw new UnreadableContract(`${field} is ${value}, not ${least} to ${most}`);
}

import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { UnreadableResult } from '../../../jobs/contracts.js';
import { parseResult, sourceSize, wholeRendition, type ImageContract } from '../../image-job.js';
import { isOnePhoto, onlyName } from '../../picture-order.js';

/** image@1: one WebP. */
export const imageV1: ImageContract = {
  version: 1,
  canSay: ({ pictures }) => isOnePhoto(pictures),
  encode: (job) => {
    const { maxWidth, maxHeight, quality, effort } = job.pictures.renditions[0];
    const source = { key: job.sourceKey, versionId: job.versionId, sizeBytes: job.sizeBytes, sha256: job.sha256 };
    return Buffer.from(ImagePayload.encode(ImagePayload.create({ source, renditionPrefix: job.renditionPrefix, maxWidth, maxHeight, quality, effort })).finish());
  },
  decode: (bytes) => {
    const { rendition, source } = parseResult(ImageResult, bytes);
    if (rendition === undefined) throw new UnreadableResult('the result has no rendition');
    return { renditions: [wholeRendition({ ...rendition, name: onlyName, frames: 1 })], placeholder: undefined, ...sourceSize(source) };
  },
};

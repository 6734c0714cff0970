import { createHash } from 'node:crypto';
import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { Contracts, UnreadableResult } from '../jobs/contracts.js';

/** What a photo's job says, whatever the contract version that carries it. */
export interface ImageJob {
  readonly sourceKey: string;
  readonly versionId: string;
  readonly sizeBytes: bigint;
  /** 32 bytes, or empty. */
  readonly sha256: Buffer;
  readonly renditionPrefix: string;
  readonly maxWidth: number;
  readonly maxHeight: number;
  readonly quality: number;
  readonly effort: number;
}

/** What a worker answers, whatever the contract version that carried it. */
export interface ImageDone {
  readonly key: string;
  readonly versionId: string;
  readonly sha256: Buffer;
  readonly sizeBytes: bigint;
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly sourceWidth: number;
  readonly sourceHeight: number;
}

/** One version of the contract `image`: this is all of ingest that knows it. */
export interface ImageContract {
  readonly version: number;
  encode(job: ImageJob): Buffer;
  /** @throws UnreadableResult when the bytes are not a whole result of this version. */
  decode(result: Uint8Array): ImageDone;
}

/**
 * SHA-256 over the logical content. The same for every contract version, so that a job which was encoded anew is still the
 * same job to the coordinator; and protobuf bytes are not canonical.
 */
export function digestOf(job: ImageJob): Buffer {
  const content = ['image', job.sourceKey, job.versionId, String(job.sizeBytes), job.sha256.toString('hex'), job.renditionPrefix, job.maxWidth, job.maxHeight, job.quality, job.effort];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const v1: ImageContract = {
  version: 1,
  encode: (job) =>
    Buffer.from(
      ImagePayload.encode(
        ImagePayload.create({
          source: { key: job.sourceKey, versionId: job.versionId, sizeBytes: job.sizeBytes, sha256: job.sha256 },
          renditionPrefix: job.renditionPrefix,
          maxWidth: job.maxWidth,
          maxHeight: job.maxHeight,
          quality: job.quality,
          effort: job.effort,
        }),
      ).finish(),
    ),
  decode: (bytes) => {
    const { rendition, source } = parse(bytes);
    if (rendition === undefined || source === undefined) throw new UnreadableResult('the result has no rendition or no source facts');
    const whole = rendition.versionId !== '' && rendition.sha256.length === 32 && rendition.sizeBytes > 0n && rendition.contentType === 'image/webp';
    const sizes = [rendition.width, rendition.height, source.width, source.height];
    if (!whole || sizes.some((pixels) => pixels < 1)) throw new UnreadableResult('the result leaves out what a rendition must have');
    return {
      key: rendition.key,
      versionId: rendition.versionId,
      sha256: rendition.sha256,
      sizeBytes: rendition.sizeBytes,
      width: rendition.width,
      height: rendition.height,
      contentType: rendition.contentType,
      sourceWidth: source.width,
      sourceHeight: source.height,
    };
  },
};

function parse(bytes: Uint8Array): ImageResult {
  try {
    return ImageResult.decode(bytes);
  } catch (error) {
    throw new UnreadableResult('the result is not an ImageResult', { cause: error });
  }
}

/** The versions of the contract `image` that this build writes and reads, the preferred one first. */
export type ImageContracts = Contracts<ImageContract>;
export const imageContracts: ImageContracts = new Contracts([v1]);

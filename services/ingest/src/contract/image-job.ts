import { createHash } from 'node:crypto';
import { UnreadableResult } from '../jobs/contracts.js';
import { isOnePhoto, orderText, type PictureOrder } from './picture-order.js';

/** What a photo's job says, whatever the contract version that carries it. */
export interface ImageJob {
  readonly sourceKey: string;
  readonly versionId: string;
  readonly sizeBytes: bigint;
  /** 32 bytes, or empty. */
  readonly sha256: Buffer;
  readonly renditionPrefix: string;
  readonly pictures: PictureOrder;
}

/** One picture that a worker made. */
export interface MadeRendition {
  /** As in its spec. */
  readonly name: string;
  readonly key: string;
  readonly versionId: string;
  readonly sha256: Buffer;
  readonly sizeBytes: bigint;
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  /** 1 for a still. */
  readonly frames: number;
}

/** WebP, at most 1 KiB and 32 pixels a side. */
export interface Placeholder {
  readonly webp: Buffer;
  readonly width: number;
  readonly height: number;
}

/** What a worker answers, whatever the contract version that carried it. */
export interface ImageDone {
  readonly renditions: readonly [MadeRendition, ...MadeRendition[]];
  readonly placeholder: Placeholder | undefined;
  readonly sourceWidth: number;
  readonly sourceHeight: number;
}

/** One version of the contract `image`: its codec is all of ingest that knows it. */
export interface ImageContract {
  readonly version: number;
  /** Whether a job can be written in this version at all. */
  canSay(job: ImageJob): boolean;
  encode(job: ImageJob): Buffer;
  /** @throws UnreadableResult when the bytes are not a whole result of this version. */
  decode(result: Uint8Array): ImageDone;
}

/**
 * SHA-256 over the logical content. The same for every contract version that can say it, so that a job which was encoded anew is still the
 * same job to the coordinator; and protobuf bytes are not canonical.
 */
export function digestOf(job: ImageJob): Buffer {
  const { renditions: [first] } = job.pictures;
  const pictures = isOnePhoto(job.pictures) ? [first.maxWidth, first.maxHeight, first.quality, first.effort] : [orderText(job.pictures)];
  const content = ['image', job.sourceKey, job.versionId, String(job.sizeBytes), job.sha256.toString('hex'), job.renditionPrefix, ...pictures];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const contentTypes = new Set(['image/webp', 'image/avif', 'image/jpeg']);

/** @throws UnreadableResult for a rendition that leaves out what one must have. */
export function wholeRendition(made: MadeRendition): MadeRendition {
  const whole = made.name !== '' && made.versionId !== '' && made.sha256.length === 32 && made.sizeBytes > 0n && contentTypes.has(made.contentType);
  if (!whole || made.width < 1 || made.height < 1 || made.frames < 1) throw new UnreadableResult('the result leaves out what a rendition must have');
  return made;
}

/** @throws UnreadableResult where the source's size is not said. */
export function sourceSize(source: { readonly width: number; readonly height: number } | undefined): { sourceWidth: number; sourceHeight: number } {
  if (source === undefined || source.width < 1 || source.height < 1) throw new UnreadableResult('the result has no source facts');
  return { sourceWidth: source.width, sourceHeight: source.height };
}

/** What `message` makes of the bytes. @throws UnreadableResult for bytes that are no such message. */
export function parseResult<Message>(message: { readonly decode: (bytes: Uint8Array) => Message }, bytes: Uint8Array): Message {
  try {
    return message.decode(bytes);
  } catch (error) {
    throw new UnreadableResult('the result is not an ImageResult', { cause: error });
  }
}

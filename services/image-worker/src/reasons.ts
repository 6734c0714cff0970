import type { ImageReason } from '@leasehold/jobs-image-v2';

/** A word of the closed list that crosses the wire: image.proto's ImageReason by name, the same in every version, without its zero value. */
export type Reason = Exclude<keyof typeof ImageReason, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** Whose fault: `content` is final at once, `technical` is retried while attempts are left. */
export type FaultClass = 'content' | 'technical';

/** The one place that says which reasons are retried (requirement F10). */
export const faultClassOf: Readonly<Record<Reason, FaultClass>> = Object.freeze({
  EMPTY: 'content',
  UNSUPPORTED_FORMAT: 'content',
  TRUNCATED: 'content',
  CORRUPT: 'content',
  PIXEL_LIMIT: 'content',
  BYTE_LIMIT: 'content',
  FRAME_LIMIT: 'content',
  SOURCE_MISMATCH: 'content',
  STORE_UNAVAILABLE: 'technical',
  TIMEOUT: 'technical',
  INTERNAL: 'technical',
});

export const isReason = (word: string): word is Reason => Object.hasOwn(faultClassOf, word);

/** Why a photo could not be made. The message and the cause are for the worker's own log: only the reason leaves the process. */
export class PhotoFault extends Error {
  override readonly name = 'PhotoFault';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** For `withinTime`. */
export const tooLate = (what: string, limitMs: number) => (): PhotoFault => new PhotoFault('TIMEOUT', `${what}: not done within ${limitMs} ms`);

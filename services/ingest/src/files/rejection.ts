import { publicReasons } from '../jobs/public-reasons.js';

/** Why there is no rendition: the closed list that owners see. Stored as these words. */
export const rejectionReasons = [
  'EMPTY', 'UNSUPPORTED_FORMAT', 'TRUNCATED', 'CORRUPT', 'PIXEL_LIMIT', 'BYTE_LIMIT', 'FRAME_LIMIT', 'SOURCE_MISMATCH', 'EXHAUSTED', 'OTHER',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

// Texts of ours only: what a worker or a library says may hold paths, URLs or the file's contents.
const explanations: Record<RejectionReason, string> = {
  EMPTY: 'The file has no bytes. Upload the photo again under a new file id.',
  UNSUPPORTED_FORMAT: 'The file is none of the formats that are read: JPEG, PNG, WebP, GIF, TIFF or AVIF. Convert it and upload it again under a new file id.',
  TRUNCATED: 'The picture ends before its time, as after an upload that broke off. Upload it again under a new file id.',
  CORRUPT: 'The picture cannot be decoded. Check the original and upload it again under a new file id.',
  PIXEL_LIMIT: 'The picture has more pixels than the limit. Upload a smaller one under a new file id.',
  BYTE_LIMIT: 'The file has more bytes than the limit. Upload a smaller one under a new file id.',
  FRAME_LIMIT: 'The picture has more frames or pages than the limit. Upload a single picture under a new file id.',
  SOURCE_MISMATCH: 'The confirmed bytes are no longer what was confirmed. Upload the photo again under a new file id.',
  EXHAUSTED: 'Every attempt failed for a technical reason, none of which lies in the photo. Retry it later.',
  OTHER: 'The photo was refused for a reason that this version does not know. Retry it later, or ask the operators.',
};
export const explanationOf = (reason: RejectionReason): string => explanations[reason];

/** The public reason for a failed job's word. */
export const rejectionOf: (word: string) => RejectionReason = publicReasons<RejectionReason>(rejectionReasons, ['EXHAUSTED', 'STORE_UNAVAILABLE', 'TIMEOUT', 'INTERNAL']);

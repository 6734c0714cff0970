import {
  AnimationPolicy, File, FileState, RejectionReason as RejectionReasonMessage, Rendition, RenditionFit, RenditionFormat, RenditionOptions,
} from '@leasehold/ingest-v1';
import type { MadeRendition } from '../contract/image-job.js';
import type * as model from '../contract/picture-order.js';
import { etagOf } from '../etag.js';
import type { Card } from './card.js';
import { explanationOf, type RejectionReason } from './rejection.js';
import { fileName } from './resource-name.js';
import type { State } from './rules.js';
import { isProcessing, type ShownCard } from './shown-card.js';

const stateMessages = {
  pending: FileState.PENDING,
  queued: FileState.QUEUED,
  ready: FileState.READY,
  rejected: FileState.REJECTED,
  cancelled: FileState.CANCELLED,
  expired: FileState.EXPIRED,
  deleting: FileState.DELETING,
  deleted: FileState.DELETED,
} as const satisfies Record<State, FileState>;

const storedStates = new Map<FileState, State>([
  [FileState.PENDING, 'pending'],
  [FileState.QUEUED, 'queued'],
  [FileState.READY, 'ready'],
  [FileState.REJECTED, 'rejected'],
  [FileState.CANCELLED, 'cancelled'],
  [FileState.EXPIRED, 'expired'],
  [FileState.DELETING, 'deleting'],
  [FileState.DELETED, 'deleted'],
]);

const reasonMessages = {
  EMPTY: RejectionReasonMessage.EMPTY,
  UNSUPPORTED_FORMAT: RejectionReasonMessage.UNSUPPORTED_FORMAT,
  TRUNCATED: RejectionReasonMessage.TRUNCATED,
  CORRUPT: RejectionReasonMessage.CORRUPT,
  PIXEL_LIMIT: RejectionReasonMessage.PIXEL_LIMIT,
  BYTE_LIMIT: RejectionReasonMessage.BYTE_LIMIT,
  FRAME_LIMIT: RejectionReasonMessage.FRAME_LIMIT,
  SOURCE_MISMATCH: RejectionReasonMessage.SOURCE_MISMATCH,
  EXHAUSTED: RejectionReasonMessage.EXHAUSTED,
  OTHER: RejectionReasonMessage.OTHER,
} as const satisfies Record<RejectionReason, RejectionReasonMessage>;

const formats = { webp: RenditionFormat.WEBP, avif: RenditionFormat.AVIF, jpeg: RenditionFormat.JPEG } as const satisfies Record<model.RenditionFormat, RenditionFormat>;
const fits = { inside: RenditionFit.INSIDE, cover: RenditionFit.COVER } as const satisfies Record<model.RenditionFit, RenditionFit>;
const policies = { 'first-frame': AnimationPolicy.FIRST_FRAME, keep: AnimationPolicy.KEEP, refuse: AnimationPolicy.REFUSE } as const satisfies Record<model.AnimationPolicy, AnimationPolicy>;

/** The state that a message's number stands for; undefined for PROCESSING, which is not stored, and for what is no state. */
export const storedStateOf = (state: FileState): State | undefined => storedStates.get(state);

/** A card as ingest.v1 shows it. */
export function messageOf(view: ShownCard): File {
  const { card, job } = view;
  const renditions = card.made?.renditions.map((made) => renditionMessage(card, made)) ?? [];
  return File.create({
    name: fileName(card),
    state: isProcessing(view) ? FileState.PROCESSING : stateMessages[card.state],
    options: RenditionOptions.create(card.pictures.renditions[0]),
    renditionSpecs: card.pictures.renditions.map((spec) => ({ ...spec, format: formats[spec.format], fit: fits[spec.fit] })),
    wantsPlaceholder: card.pictures.placeholder,
    animation: policies[card.pictures.animation],
    source: card.source,
    rendition: renditions[0],
    renditions,
    placeholder: card.made?.placeholder,
    rejection: card.rejection && { reason: reasonMessages[card.rejection], explanation: explanationOf(card.rejection) },
    progress: card.state === 'queued' && job !== undefined ? { attempt: job.attempt, maxAttempts: job.maxAttempts, percent: job.percent, stage: job.stage } : undefined,
    generation: card.generation,
    createTime: card.createTime,
    updateTime: card.updateTime,
    expireTime: card.state === 'pending' ? card.expireTime : undefined,
    deleteTime: card.deleteTime ?? undefined,
    etag: etagOf(card),
  });
}

/** A stored card without a look at its job. */
export const storedMessageOf = (card: Card): File => messageOf({ card, job: undefined });

export const renditionMessage = (card: Card, made: MadeRendition): Rendition =>
  Rendition.create({ ...made, fence: card.outcomeFence, sourceWidth: card.made?.sourceWidth ?? 0, sourceHeight: card.made?.sourceHeight ?? 0 });

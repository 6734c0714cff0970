import type { MadeRendition, Placeholder } from '../contract/image-job.js';
import { onlyName, type PictureOrder } from '../contract/picture-order.js';
import type { Fence } from '../jobs/fence.js';
import type { RejectionReason } from './rejection.js';
import type { FileId } from './resource-name.js';
import type { State } from './rules.js';
import { madeOf, orderOf, type MadeJson, type OptionColumns } from './stored-pictures.js';

/** The confirmed upload. */
export interface Source {
  readonly versionId: string;
  readonly sizeBytes: bigint;
  /** 32 bytes; empty when the store computes none and the caller gave none. */
  readonly sha256: Buffer;
}

/** What the worker made and where it lies; the fence is the card's outcome fence. */
export interface Made {
  /** One per rendition of the order, in its order. */
  readonly renditions: readonly [MadeRendition, ...MadeRendition[]];
  readonly placeholder: Placeholder | undefined;
  readonly sourceWidth: number;
  readonly sourceHeight: number;
}

/** A file as stored. */
export interface Card extends FileId {
  readonly seq: bigint;
  readonly state: State;
  readonly generation: number;
  readonly revision: bigint;
  /** What to make, defaults filled in. */
  readonly pictures: PictureOrder;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly expireTime: Date;
  readonly confirmTime: Date | null;
  readonly queueTime: Date | null;
  readonly deleteTime: Date | null;
  readonly source: Source | undefined;
  /** Of the present generation; undefined while it is 0. */
  readonly jobId: string | undefined;
  readonly outcomeFence: Fence;
  readonly outcomeTime: Date | null;
  readonly rejection: RejectionReason | undefined;
  readonly made: Made | undefined;
  readonly retriedRevisions: readonly bigint[];
  readonly cancelDue: Date | null;
  readonly cancelConfirmedAt: Date | null;
}

/** A row of `files`, as far as a card is made of it. */
export interface FileRow extends OptionColumns {
  namespace: string;
  file_id: string;
  seq: bigint;
  state: State;
  generation: number;
  revision: bigint;
  wanted: PictureOrder | null;
  create_time: Date;
  update_time: Date;
  expire_time: Date;
  confirm_time: Date | null;
  queue_time: Date | null;
  delete_time: Date | null;
  source_version_id: string | null;
  source_size_bytes: bigint | null;
  source_sha256: Buffer | null;
  job_id: string | null;
  outcome_fence: Fence;
  outcome_time: Date | null;
  rejection_reason: RejectionReason | null;
  rendition_key: string | null;
  rendition_version_id: string | null;
  rendition_content_type: string | null;
  rendition_size_bytes: bigint | null;
  rendition_sha256: Buffer | null;
  rendition_width: number | null;
  rendition_height: number | null;
  rendition_source_width: number | null;
  rendition_source_height: number | null;
  made: MadeJson | null;
  retried_revisions: bigint[];
  cancel_due: Date | null;
  cancel_confirmed_at: Date | null;
}

/** The one place where columns become a card. */
export function cardOf(row: FileRow): Card {
  return {
    namespace: row.namespace,
    fileId: row.file_id,
    seq: row.seq,
    state: row.state,
    generation: row.generation,
    revision: row.revision,
    pictures: orderOf(row),
    createTime: row.create_time,
    updateTime: row.update_time,
    expireTime: row.expire_time,
    confirmTime: row.confirm_time,
    queueTime: row.queue_time,
    deleteTime: row.delete_time,
    source: sourceOf(row),
    jobId: row.job_id ?? undefined,
    outcomeFence: row.outcome_fence,
    outcomeTime: row.outcome_time,
    rejection: row.rejection_reason ?? undefined,
    made: madeIn(row),
    retriedRevisions: row.retried_revisions,
    cancelDue: row.cancel_due,
    cancelConfirmedAt: row.cancel_confirmed_at,
  };
}

const sourceOf = (row: FileRow): Source | undefined =>
  row.source_version_id === null || row.source_size_bytes === null || row.source_sha256 === null
    ? undefined
    : { versionId: row.source_version_id, sizeBytes: row.source_size_bytes, sha256: row.source_sha256 };

const madeIn = (row: FileRow): Made | undefined =>
  row.rendition_key === null || row.rendition_version_id === null || row.rendition_content_type === null || row.rendition_size_bytes === null ||
  row.rendition_sha256 === null || row.rendition_width === null || row.rendition_height === null || row.rendition_source_width === null || row.rendition_source_height === null
    ? undefined
    : {
        ...madeOf({
          name: onlyName,
          key: row.rendition_key,
          versionId: row.rendition_version_id,
          contentType: row.rendition_content_type,
          sizeBytes: row.rendition_size_bytes,
          sha256: row.rendition_sha256,
          width: row.rendition_width,
          height: row.rendition_height,
          frames: 1,
        }, row.made),
        sourceWidth: row.rendition_source_width,
        sourceHeight: row.rendition_source_height,
      };

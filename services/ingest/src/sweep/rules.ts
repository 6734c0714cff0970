import type { Card } from '../files/card.js';
import type { Fence } from '../jobs/fence.js';
import { parseRenditionKey, parseUploadKey, type FileId } from '../files/resource-name.js';

/** How long after the right to write ended bytes may still come in or be read. */
export interface Windows {
  /** Longest URL life and store timeout, in ms: for uploads. */
  readonly uploadMs: number;
  /** Longest run, lease, longest URL life and store timeout, in ms: for renditions and deletions. */
  readonly writeMs: number;
}

/** An object version or delete marker, by what its key says. */
export type Stored = { readonly id: FileId; readonly versionId: string; readonly storedAt: Date } & (
  | { readonly kind: 'upload' }
  /** `fence` is undefined for a key under the file's prefix that no worker makes. */
  | { readonly kind: 'rendition'; readonly fence: Fence | undefined }
);

/** What of a card the sweep looks at. */
export type SweptCard = Pick<Card, 'state' | 'source' | 'made' | 'outcomeFence' | 'outcomeTime' | 'expireTime' | 'confirmTime' | 'deleteTime' | 'cancelDue' | 'cancelConfirmedAt'>;

/** Undefined for a key that is none of ours: left alone. */
export function storedOf(object: { readonly key: string; readonly versionId: string; readonly storedAt: Date }): Stored | undefined {
  const { versionId, storedAt } = object;
  const upload = parseUploadKey(object.key);
  if (upload !== undefined) return { kind: 'upload', id: upload, versionId, storedAt };
  const rendition = parseRenditionKey(object.key);
  return rendition && { kind: 'rendition', ...rendition, versionId, storedAt };
}

/**
 * From when on the object may be removed, as the card stands; undefined: it stays. What may be removed stays removable whatever
 * happens to the card afterwards, so that a decision on a card that was read a while ago is still right:
 * - without a card: once nothing that made it can be under way;
 * - deleted: everything, from the last possible write on; not before the coordinator has confirmed the cancel, as until then
 *   it may grant the job;
 * - uploads: all of an EXPIRED card, the versions that were not confirmed of any later one;
 * - renditions: only of a card with an applied outcome; below its fence, or at it all but the official versions (a run whose answer
 *   from the store was lost has written twice); never above, as that is an attempt whose outcome is still to come.
 */
export function removableFrom(object: Stored, card: SweptCard | undefined, windows: Windows): Date | undefined {
  if (card === undefined) return later(object.storedAt, windows.writeMs);
  if (card.state === 'deleting' || card.state === 'deleted') return lastWriteOf(card, windows);
  return object.kind === 'upload' ? uploadRemovableFrom(object.versionId, card, windows) : renditionRemovableFrom(object, card, windows);
}

/** When the last byte of a deleted card can have been written or read; undefined while its job is not cancelled. */
export function lastWriteOf(card: SweptCard, { writeMs }: Windows): Date | undefined {
  if (card.deleteTime === null || card.cancelDue !== null) return undefined;
  return later(new Date(Math.max(card.deleteTime.getTime(), card.cancelConfirmedAt?.getTime() ?? 0)), writeMs);
}

function uploadRemovableFrom(versionId: string, card: SweptCard, { uploadMs }: Windows): Date | undefined {
  if (card.state === 'expired') return later(card.expireTime, uploadMs);
  if (card.source === undefined || card.confirmTime === null || card.source.versionId === versionId) return undefined;
  return later(card.confirmTime, uploadMs);
}

function renditionRemovableFrom({ fence, versionId }: Stored & { kind: 'rendition' }, card: SweptCard, { writeMs }: Windows): Date | undefined {
  const decided = card.state === 'ready' || card.state === 'rejected' || card.state === 'cancelled';
  if (!decided || card.outcomeTime === null || fence === undefined) return undefined;
  // A READY card without a rendition on record, should there ever be one, keeps everything.
  const official = card.state === 'ready' && (card.made === undefined || card.made.renditions.some((rendition) => rendition.versionId === versionId));
  const superseded = fence < card.outcomeFence || (fence === card.outcomeFence && !official);
  return superseded ? later(card.outcomeTime, writeMs) : undefined;
}

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

import { randomUUID } from 'node:crypto';
import type { SignedRequest } from '@leasehold/object-store';
import { fileExists, invalidFields } from '../faults.js';
import { orderText } from '../contract/picture-order.js';
import type { Card } from './card.js';
import { requireSayable } from './image-job.js';
import { namespaceIn } from './named.js';
import { picturesOf, type Asked } from './options.js';
import type { FileParts } from './parts.js';
import { fileName, isFileId, uploadKey } from './resource-name.js';

export interface CreateFile extends Asked {
  readonly parent: string;
  /** Empty: a UUID is chosen, and a repeat makes another card. */
  readonly fileId: string;
}

/** A card in state PENDING, or the one that the same call made before. */
export async function createFile(parts: FileParts, request: CreateFile): Promise<{ card: Card; upload: SignedRequest | undefined }> {
  const namespace = namespaceIn(request.parent);
  const { pictures, violations } = picturesOf(request);
  if (request.fileId !== '' && !isFileId(request.fileId)) violations.push({ field: 'file_id', description: 'must be of the form [a-z0-9][a-z0-9-]{0,62}, or empty' });
  if (violations.length > 0) throw invalidFields(violations);

  const id = { namespace, fileId: request.fileId === '' ? randomUUID() : request.fileId };
  requireSayable(id, pictures, parts.contracts);
  const made = await parts.records.insert(id, pictures, parts.limits.pendingLifeMs);
  if (made !== undefined) {
    parts.changes.announce(fileName(made));
    parts.logger.info({ event: 'file_created', file: fileName(made) }, 'a card waits for its bytes');
  }
  const card = made ?? (await parts.records.find(id));
  // Cards are never removed, so one that is in the way can be read.
  if (card === undefined) throw new Error(`${fileName(id)} was neither made nor found`);
  if (card.state === 'deleting' || card.state === 'deleted') throw fileExists(fileName(id), 'was deleted; its id stays taken');
  if (orderText(card.pictures) !== orderText(pictures)) throw fileExists(fileName(id), 'exists with other options');
  return { card, upload: await uploadTarget(parts, card) };
}

// The store reads the clock again when it signs.
const signingMs = 1_000;

/** No upload is allowed beyond the card's expiry: what comes later could never be confirmed. */
async function uploadTarget({ store, limits }: FileParts, card: Card): Promise<SignedRequest | undefined> {
  const expiresInMs = Math.min(limits.uploadUrlLifeMs, card.expireTime.getTime() - Date.now() - signingMs);
  if (card.state !== 'pending' || expiresInMs < 1) return undefined;
  return store.signUpload(uploadKey(card), { maxBytes: limits.maxUploadBytes, expiresInMs });
}

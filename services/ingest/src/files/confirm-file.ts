import { StoreFault, type ObjectVersion } from '@leasehold/object-store';
import { checksumMismatch, fileEmpty, fileNotPending, fileTooLarge, invalid, sizeMismatch, versionConflict, versionNotFound } from '../faults.js';
import type { Card, Source } from './card.js';
import { jobToStore } from './image-job.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { fileName, uploadKey } from './resource-name.js';

export interface ConfirmFile {
  readonly name: string;
  readonly versionId: string;
  /** 0n: not checked. */
  readonly sizeBytes: bigint;
  /** 32 bytes; empty: not checked. */
  readonly sha256: Buffer;
}

/** Names the version that counts. Waits for the records and the store, never for the coordinator. */
export async function confirmFile(parts: FileParts, request: ConfirmFile, signal: AbortSignal): Promise<Card> {
  if (request.versionId === '') throw invalid('version_id', 'is required: the version that counts, as the upload answered it');
  if (request.sizeBytes < 0n) throw invalid('size_bytes', 'must not be negative');
  if (request.sha256.length !== 0 && request.sha256.length !== 32) throw invalid('sha256', 'must have 32 bytes, or none');

  const card = await cardNamed(parts.records, request.name);
  const repeated = answerToRepeat(card, request);
  if (repeated !== undefined) return repeated;

  const source = sourceOf(await headOf(parts, card, request, signal), request, parts.limits.maxUploadBytes);
  const job = jobToStore(card, card.pictures, source, card.generation + 1, parts.contracts);
  await parts.inFlight.admit(card.namespace);
  const confirmed = await parts.records.confirm(card, source, job, parts.limits.uploadWindowMs);
  if (confirmed !== undefined) {
    parts.changes.announce(fileName(confirmed));
    parts.onQueued();
    parts.logger.info({ event: 'file_confirmed', file: fileName(confirmed), generation: confirmed.generation, size_bytes: source.sizeBytes }, 'queued');
    return confirmed;
  }
  // Somebody was faster: another confirm, the expiry or a deletion. The card says which; still PENDING means that its time is up.
  const now = await cardNamed(parts.records, request.name);
  const answer = answerToRepeat(now, request);
  if (answer === undefined) throw fileNotPending(request.name, 'EXPIRED');
  return answer;
}

/** The answer for a card that was confirmed before or never can be; undefined while it is PENDING. */
function answerToRepeat(card: Card, request: ConfirmFile): Card | undefined {
  if (card.state === 'pending') return undefined;
  if (card.source === undefined) throw fileNotPending(request.name, card.state.toUpperCase());
  if (card.source.versionId !== request.versionId) throw versionConflict(request.name);
  checkGiven(request, card.source.sizeBytes, card.source.sha256);
  return card;
}

async function headOf({ store }: FileParts, card: Card, request: ConfirmFile, signal: AbortSignal): Promise<ObjectVersion> {
  try {
    return await store.head(uploadKey(card), request.versionId, { signal });
  } catch (error) {
    // What is no version id of this store was never answered by an upload either.
    if (error instanceof StoreFault && (error.kind === 'not_found' || error.kind === 'invalid')) throw versionNotFound(request.name);
    throw error;
  }
}

function sourceOf(head: ObjectVersion, request: ConfirmFile, maxBytes: number): Source {
  if (head.sizeBytes === 0) throw fileEmpty(request.name);
  if (head.sizeBytes > maxBytes) throw fileTooLarge(request.name, maxBytes);
  const sizeBytes = BigInt(head.sizeBytes);
  checkGiven(request, sizeBytes, head.sha256 ?? Buffer.alloc(0));
  // Where the store computes none, the caller's is taken at its word here and checked by the worker as it reads.
  return { versionId: head.versionId, sizeBytes, sha256: head.sha256 ?? request.sha256 };
}

function checkGiven(request: ConfirmFile, sizeBytes: bigint, sha256: Buffer): void {
  if (request.sizeBytes !== 0n && request.sizeBytes !== sizeBytes) throw sizeMismatch(request.name);
  if (request.sha256.length > 0 && sha256.length > 0 && !request.sha256.equals(sha256)) throw checksumMismatch(request.name);
}

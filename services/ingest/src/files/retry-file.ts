import { etagOf, revisionOf } from '../etag.js';
import { etagMismatch, fileNotFound, fileNotRejected, invalid } from '../faults.js';
import type { Card } from './card.js';
import { jobToStore } from './image-job.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { fileName } from './resource-name.js';

/** A REJECTED card to QUEUED under its next generation, once per etag: a repeat answers the card as it is by then. */
export async function retryFile(parts: FileParts, request: { readonly name: string; readonly etag: string }): Promise<Card> {
  if (request.etag === '') throw invalid('etag', 'is required: the etag of the card that is meant');
  const card = await cardNamed(parts.records, request.name);
  const repeated = answerToRepeat(card, request);
  if (repeated !== undefined) return repeated;
  if (card.source === undefined) throw new Error(`${request.name} is REJECTED without a source`);

  const job = jobToStore(card, card.pictures, card.source, card.generation + 1, parts.contracts);
  await parts.inFlight.admit(card.namespace);
  const queued = await parts.records.retry(card, card, job);
  if (queued !== undefined) {
    parts.changes.announce(fileName(queued));
    parts.onQueued();
    parts.logger.info({ event: 'file_retried', file: fileName(queued), generation: queued.generation }, 'queued again');
    return queued;
  }
  // Somebody was faster: the same retry, a deletion, or a later outcome.
  const now = await parts.records.find(card);
  if (now === undefined) throw fileNotFound(request.name);
  const answer = answerToRepeat(now, request);
  if (answer === undefined) throw etagMismatch(request.name);
  return answer;
}

/** The answer to a retry that was made before; undefined when it is to be made now. */
function answerToRepeat(card: Card, { name, etag }: { readonly name: string; readonly etag: string }): Card | undefined {
  const revision = revisionOf(etag);
  if (revision !== undefined && card.retriedRevisions.includes(revision)) return card;
  if (card.state !== 'rejected') throw fileNotRejected(name, card.state.toUpperCase());
  if (etag !== etagOf(card)) throw etagMismatch(name);
  return undefined;
}

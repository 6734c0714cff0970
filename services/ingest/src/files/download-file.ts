import { StoreFault, type SignedRequest } from '@leasehold/object-store';
import type { MadeRendition } from '../contract/image-job.js';
import { fileNotReady, internal, renditionNotFound } from '../faults.js';
import type { Card } from './card.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { fileName } from './resource-name.js';

export interface ReadyCard {
  readonly card: Card;
  readonly rendition: MadeRendition;
}

const chunkBytes = 64 * 1024;

/** @param wanted the rendition's name; empty: the first */
async function readyCard({ records }: FileParts, name: string, wanted: string): Promise<ReadyCard> {
  const card = await cardNamed(records, name);
  if (card.state !== 'ready' || card.made === undefined) throw fileNotReady(name, card.state.toUpperCase());
  const { renditions } = card.made;
  const rendition = wanted === '' ? renditions[0] : renditions.find((made) => made.name === wanted);
  if (rendition === undefined) throw renditionNotFound(name, wanted);
  return { card, rendition };
}

/** The very version that the outcome named, in chunks of up to 64 KiB. */
export async function downloadFile(parts: FileParts, name: string, wanted: string, signal: AbortSignal): Promise<ReadyCard & { chunks: AsyncGenerator<Uint8Array> }> {
  const ready = await readyCard(parts, name, wanted);
  try {
    const { body } = await parts.store.get(ready.rendition.key, ready.rendition.versionId, { signal });
    return { ...ready, chunks: sliced(body) };
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind === 'unavailable') throw error;
    parts.logger.error({ event: 'rendition_missing', file: fileName(ready.card), fault: error.kind }, 'the rendition of a READY card cannot be read');
    throw internal('the rendition cannot be read; the operators were told');
  }
}

/** A URL for the very version that the outcome named. Deleting the card does not revoke it: it ends by itself, before the bytes go. */
export async function downloadUrl(parts: FileParts, name: string, wanted: string): Promise<SignedRequest> {
  const { rendition } = await readyCard(parts, name, wanted);
  return parts.store.signDownload(rendition.key, rendition.versionId, { contentType: rendition.contentType, expiresInMs: parts.limits.downloadUrlLifeMs });
}

async function* sliced(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
}

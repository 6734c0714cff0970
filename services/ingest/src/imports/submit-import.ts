import { StoreFault, type StoredVersion } from '@leasehold/object-store';
import type { AcceptVerdict, ImportRecord } from '@leasehold/stock-ledger';
import { storeBytes } from '../bytes-in.js';
import { importExists, objectNotFound, shipmentMismatch, shipmentTooLarge } from '../faults.js';
import { importJobToStore, requireSayable } from './import-job.js';
import type { ImportParts } from './parts.js';
import { importName, shipmentKey } from './resource-name.js';
import { contentDigest, shortDigest, type Submission } from './submission.js';

/**
 * Stores the bytes first, then decides in one transaction: the ledger takes the batch, and the relay's job is stored with it. Dying in between leaves
 * bytes that no import names, which the sweep removes. The same id and content again answers the import as it is by now.
 */
export async function submitImport(parts: ImportParts, submission: Submission, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ImportRecord> {
  const { id } = submission;
  const known = await parts.ledger.find(id);
  // What is queued already needs no version to be OPEN: a repeat is answered.
  if (known === undefined || known.state === 'rejected') requireSayable(id, submission, parts.contracts);
  // Before the bytes are taken. A repeat queues nothing, and is answered however full the namespace is.
  const notQueued = known === undefined || known.state === 'rejected' ? await parts.inFlight.admit(id.namespace) : () => undefined;
  let queued = false;
  try {
    const stored = await storeShipment(parts, submission, chunks, signal);
    const wrong = submission.sha256.length > 0 && Buffer.compare(stored.sha256, submission.sha256) !== 0;
    if (wrong) {
      await unkeep(parts, stored);
      throw shipmentMismatch();
    }
    const { verdict, record } = await accept(parts, submission, stored);
    queued = verdict === 'accepted' || verdict === 'reopened';
    if (!queued) await unkeep(parts, stored);
    if (verdict === 'conflict') throw conflictOf(record, submission, stored);
    if (queued) accepted(parts, record, verdict);
    return record;
  } finally {
    if (!queued) notQueued();
  }
}

async function storeShipment(parts: ImportParts, { id, object }: Submission, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredVersion> {
  const { shipment: { maxBytes }, submitTimeoutMs: timeoutMs } = parts.limits;
  const field = object === undefined ? 'chunk' : 'spec.object';
  const target = { store: parts.store, key: shipmentKey(id), contentType: 'text/csv', maxBytes, timeoutMs, tooLarge: () => shipmentTooLarge(field, `a shipment has at most ${maxBytes} bytes`) };
  return storeBytes(target, object === undefined ? chunks : storedBytes(parts, object, signal), signal);
}

/** An object that the caller has put into the store before. */
export async function* storedBytes({ store, limits }: Pick<ImportParts, 'store' | 'limits'>, object: { readonly key: string; readonly versionId: string }, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const { body } = await store.get(object.key, object.versionId, { signal, maxBytes: limits.shipment.maxBytes });
    yield* body;
  } catch (error) {
    if (error instanceof StoreFault && (error.kind === 'not_found' || error.kind === 'invalid')) throw objectNotFound(object.key);
    throw error;
  }
}

async function accept(parts: ImportParts, { id, charset, mode, layout }: Submission, stored: StoredVersion): Promise<{ verdict: AcceptVerdict; record: ImportRecord }> {
  const source = { key: stored.key, versionId: stored.versionId, sizeBytes: BigInt(stored.sizeBytes), sha256: stored.sha256 };
  return parts.db.transaction(async (tx) => {
    const { verdict, import: record } = await parts.ledger.accept({ ...id, source, charset: charset ?? '', mode, layout, contentDigest: contentDigest({ ...stored, charset, mode, layout }) }, tx);
    if (verdict === 'accepted' || verdict === 'reopened') await parts.jobs.owe(tx, id, record.generation, importJobToStore(record, parts.contracts));
    return { verdict, record };
  });
}

function accepted(parts: ImportParts, record: ImportRecord, verdict: AcceptVerdict): void {
  parts.changes.announce(importName(record));
  parts.onQueued();
  parts.logger.info({ event: 'import_accepted', import: importName(record), generation: record.generation, size_bytes: record.source?.sizeBytes, corrected: verdict === 'reopened' }, 'a promise of a verdict');
}

const conflictOf = (record: ImportRecord, { charset, mode, layout }: Submission, stored: StoredVersion): Error =>
  importExists(importName(record), shortDigest(contentDigest({ ...stored, charset, mode, layout })), shortDigest(record.contentDigest), record.state.toUpperCase());

/** Bytes that were not taken. Where this fails the sweep finds them. */
async function unkeep({ store, logger }: ImportParts, { key, versionId }: StoredVersion): Promise<void> {
  try {
    await store.deleteVersion(key, versionId);
  } catch (error) {
    logger.debug({ event: 'shipment_kept', key, err: error }, 'left to the sweep');
  }
}

import { StoreFault } from '@leasehold/object-store';
import type { ImportRecord } from '@leasehold/stock-ledger';
import { databaseTime } from '../database-time.js';
import { etagOf, revisionOf } from '../etag.js';
import { etagMismatch, importNotFound, importNotRejected, invalid, sourceGone } from '../faults.js';
import { importJobToStore } from './import-job.js';
import { importNamed } from './named.js';
import type { ImportParts } from './parts.js';
import { importName } from './resource-name.js';

/** A REJECTED import to ACCEPTED under its next generation with the same file, once per etag: a repeat answers the import as it is by then. */
export async function retryImport(parts: ImportParts, request: { readonly name: string; readonly etag: string }, signal: AbortSignal): Promise<ImportRecord> {
  const { name, etag } = request;
  if (etag === '') throw invalid('etag', 'is required: the etag of the import that is meant');
  const found = await importNamed(parts.ledger, name);
  const revision = revisionOf(etag);
  if (revision !== undefined && found.retriedRevisions.includes(revision)) return found;
  if (found.state !== 'rejected') throw importNotRejected(name, found.state.toUpperCase());
  if (revision === undefined || etag !== etagOf(found)) throw etagMismatch(name);
  await checkSource(parts, found, signal);

  const notQueued = await parts.inFlight.admit(found.namespace);
  const { verdict, import: record } = await parts.db.transaction(async (tx) => {
    const answer = await parts.ledger.retry(found, revision, tx);
    if (answer.verdict === 'reopened' && answer.import !== undefined) await parts.jobs.owe(tx, found, answer.import.generation, importJobToStore(answer.import, parts.contracts));
    return answer;
  });
  if (verdict !== 'reopened') notQueued();
  if (record === undefined) throw importNotFound(name);
  // Somebody was faster: the same retry, or a corrected file.
  if (verdict === 'stale') throw etagMismatch(name);
  if (verdict === 'not_rejected') throw importNotRejected(name, record.state.toUpperCase());
  if (verdict === 'reopened') {
    parts.changes.announce(importName(record));
    parts.onQueued();
    parts.logger.info({ event: 'import_retried', import: importName(record), generation: record.generation }, 'accepted again');
  }
  return record;
}

/** Refused from the end of the retention on, whether or not the sweep was there: what it may remove must not be queued again. */
async function checkSource({ store, limits, db }: ImportParts, { source, endTime, namespace, importId }: ImportRecord, signal: AbortSignal): Promise<void> {
  const name = importName({ namespace, importId });
  const kept = endTime !== undefined && (await databaseTime(db)).getTime() < endTime.getTime() + limits.retentionMs;
  if (source === undefined || !kept) throw sourceGone(name);
  try {
    await store.head(source.key, source.versionId, { signal });
  } catch (error) {
    if (error instanceof StoreFault && (error.kind === 'not_found' || error.kind === 'invalid')) throw sourceGone(name);
    throw error;
  }
}

import type { ObjectStore } from '@leasehold/object-store';
import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Metrics } from '../figures/metrics.js';
import { cardOf, type Card, type FileRow } from '../files/card.js';
import type { Changes } from '../watch/changes.js';
import { fileName, renditionPrefix, uploadKey } from '../files/resource-name.js';
import { remove, type Listed } from './remove.js';
import { lastWriteOf, removableFrom, storedOf, type Windows } from './rules.js';

const statements = {
  claim: sql(import.meta.url, 'claim'),
  finish: sql(import.meta.url, 'finish'),
  deleted: sql(import.meta.url, 'deleted'),
};

export interface SweepParts {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly changes: Changes;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly windows: Windows;
  /** How long a card is taken from other instances, in ms; after a death it is due again. */
  readonly claimMs: number;
}

interface Swept {
  readonly objects: number;
  readonly bytes: number;
  /** When the first of those that stay may go; undefined when none ever may, as the card stands. */
  readonly next: Date | undefined;
}

const atMost = 10;

/**
 * Sweeps cards that are due: each by listing its versions in the store. Returns how many it took; fails after the last one when the
 * store failed for any, which is due again when its claim ends.
 */
export async function sweepFiles(parts: SweepParts, signal: AbortSignal): Promise<number> {
  const rows = await parts.db.query<FileRow & { looked_at: Date }>(statements.claim, [atMost, parts.claimMs]);
  const errors: unknown[] = [];
  for (const row of rows) {
    try {
      await sweepOne(parts, cardOf(row), row.looked_at, signal);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${rows.length} cards could not be swept`);
  return rows.length;
}

async function sweepOne(parts: SweepParts, card: Card, now: Date, signal: AbortSignal): Promise<void> {
  const swept = await removeDue(parts, card, now, signal);
  if (swept.objects > 0) parts.logger.info({ event: 'file_swept', file: fileName(card), state: card.state, objects: swept.objects, bytes: swept.bytes }, 'bytes that can never count are gone');
  if (card.state !== 'deleting') return finish(parts, card, swept.next);
  const from = lastWriteOf(card, parts.windows);
  // Not cancelled yet: the cancel duty makes it due again.
  if (from === undefined) return finish(parts, card, undefined);
  if (from > now) return finish(parts, card, from);
  if (!(await endedDeletion(parts, card, now, signal))) await finish(parts, card, new Date(now.getTime() + parts.claimMs));
}

async function finish({ db }: SweepParts, card: Card, next: Date | undefined): Promise<void> {
  await db.query(statements.finish, [card.namespace, card.fileId, card.revision, next ?? null]);
}

async function removeDue(parts: SweepParts, card: Card, now: Date, signal: AbortSignal): Promise<Swept> {
  let objects = 0;
  let bytes = 0;
  let next: Date | undefined;
  for await (const object of versionsOf(parts.store, card, signal)) {
    const stored = storedOf(object);
    const from = stored && removableFrom(stored, card, parts.windows);
    if (stored === undefined || from === undefined) continue;
    if (from > now) {
      if (next === undefined || from < next) next = from;
      continue;
    }
    bytes += await remove(parts, object, stored.kind, 'file', signal);
    objects += 1;
  }
  return { objects, bytes, next };
}

/** DELETED needs a listing that is empty, after the last possible write; the statement repeats the latter by the database's clock. */
async function endedDeletion(parts: SweepParts, card: Card, now: Date, signal: AbortSignal): Promise<boolean> {
  for await (const _ of versionsOf(parts.store, card, signal)) return false;
  const rows = await parts.db.query(statements.deleted, [card.namespace, card.fileId, parts.windows.writeMs]);
  if (rows.length === 0) return false;
  parts.changes.announce(fileName(card));
  parts.logger.info({ event: 'file_gone', file: fileName(card), after_ms: now.getTime() - (card.deleteTime?.getTime() ?? 0) }, 'DELETED: nothing of it is left');
  return true;
}

/** Everything that the store has of a card. An upload's key is listed exactly: as a prefix it would also be the start of other files' keys. */
async function* versionsOf(store: ObjectStore, card: Card, signal: AbortSignal): AsyncGenerator<Listed> {
  yield* store.versionsOf(uploadKey(card), { signal });
  yield* store.listVersions(renditionPrefix(card), { signal });
}

import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { cardOf, type Card, type FileRow } from '../files/card.js';
import { fileName, type FileId } from '../files/resource-name.js';
import { remove, type Listed, type RemoveParts } from './remove.js';
import { removableFrom, storedOf, type Stored, type Windows } from './rules.js';

const statements = {
  findMany: sql(import.meta.url, 'find-many'),
  now: sql(import.meta.url, 'now'),
  takePass: sql(import.meta.url, 'take-pass'),
};

export interface BucketPassParts extends RemoveParts {
  readonly db: Database;
  readonly logger: Logger;
  readonly windows: Windows;
  /** From the beginning of one pass to the next, over all instances, in ms. */
  readonly everyMs: number;
}

interface Found {
  readonly object: Listed;
  readonly stored: Stored;
}

const batchSize = 500;
const prefixes = ['uploads/', 'renditions/'];

/** When a pass is due and no other instance has it: makes it. Returns nothing, as there is never more to do at once. */
export async function passBucketWhenDue(parts: BucketPassParts, signal: AbortSignal): Promise<void> {
  const [taken] = await parts.db.query(statements.takePass, [parts.everyMs]);
  if (taken !== undefined) await passBucket(parts, signal);
}

/**
 * Goes through everything that the store lists and removes what can never count: what came after its card was swept, and what
 * belongs to no card. The same rules as the sweep of one card; keys that are none of ours are counted and left alone.
 */
export async function passBucket(parts: BucketPassParts, signal: AbortSignal): Promise<void> {
  let [listed, objects, bytes, foreign] = [0, 0, 0, 0];
  const sweep = async (batch: readonly Found[]): Promise<void> => {
    const removed = await sweepBatch(parts, batch, signal);
    objects += removed.objects;
    bytes += removed.bytes;
  };
  for (const prefix of prefixes) {
    let batch: Found[] = [];
    for await (const object of parts.store.listVersions(prefix, { signal })) {
      listed += 1;
      const stored = storedOf(object);
      if (stored === undefined) foreign += 1;
      else batch.push({ object, stored });
      if (batch.length < batchSize) continue;
      await sweep(batch);
      batch = [];
    }
    await sweep(batch);
  }
  parts.metrics.foreignObjects.inc(foreign);
  parts.metrics.bucketPasses.inc();
  parts.logger.info({ event: 'bucket_passed', listed, objects, bytes, foreign }, 'the whole bucket was looked at');
}

async function sweepBatch(parts: BucketPassParts, batch: readonly Found[], signal: AbortSignal): Promise<{ objects: number; bytes: number }> {
  let [objects, bytes] = [0, 0];
  if (batch.length === 0) return { objects, bytes };
  // After the listing: a card that is not there now was not there when the object was stored, or never will be again.
  const cards = await cardsOf(parts.db, batch.map(({ stored }) => stored.id));
  const [time] = await parts.db.query<{ now: Date }>(statements.now, []);
  for (const { object, stored } of batch) {
    const from = removableFrom(stored, cards.get(fileName(stored.id)), parts.windows);
    if (from === undefined || time === undefined || from > time.now) continue;
    bytes += await remove(parts, object, stored.kind, 'bucket', signal);
    objects += 1;
  }
  return { objects, bytes };
}

async function cardsOf(db: Database, ids: readonly FileId[]): Promise<Map<string, Card>> {
  const unique = [...new Map(ids.map((id) => [fileName(id), id])).values()];
  const rows = await db.query<FileRow>(statements.findMany, [unique.map((id) => id.namespace), unique.map((id) => id.fileId)]);
  return new Map(rows.map(cardOf).map((card) => [fileName(card), card]));
}

import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { databaseTime } from '../database-time.js';
import { remove, type Listed, type RemoveParts, type SweptKind } from './remove.js';

const takePass = sql(import.meta.url, 'take-pass');

/** Objects of one resource in the bucket, and when they may go. */
export interface SweptObjects {
  readonly prefix: string;
  /** What the key says the object is; undefined for a key that is none of ours. */
  kindOf(object: Listed): SweptKind | undefined;
  /**
   * For each of some objects of ours from when on it may be removed, as its resource stands now; undefined: it stays. What may be removed stays removable
   * whatever happens to the resource afterwards.
   */
  removableFrom(objects: readonly Listed[]): Promise<readonly (Date | undefined)[]>;
}

export interface BucketPassParts extends RemoveParts {
  readonly db: Database;
  readonly logger: Logger;
  readonly objects: readonly SweptObjects[];
  /** From the beginning of one pass to the next, over all instances, in ms. */
  readonly everyMs: number;
}

const batchSize = 500;

/** When a pass is due and no other instance has it: makes it. Returns nothing, as there is never more to do at once. */
export async function passBucketWhenDue(parts: BucketPassParts, signal: AbortSignal): Promise<void> {
  const [taken] = await parts.db.query(takePass, [parts.everyMs]);
  if (taken !== undefined) await passBucket(parts, signal);
}

/**
 * Goes through everything that the store lists and removes what can never count: what came after its resource was swept, and what
 * belongs to none. Keys that are none of ours are counted and left alone.
 */
export async function passBucket(parts: BucketPassParts, signal: AbortSignal): Promise<void> {
  let [listed, objects, bytes, foreign] = [0, 0, 0, 0];
  for (const swept of parts.objects) {
    const sweep = async (batch: readonly Listed[]): Promise<void> => {
      const removed = await sweepBatch(parts, swept, batch, signal);
      objects += removed.objects;
      bytes += removed.bytes;
    };
    let batch: Listed[] = [];
    for await (const object of parts.store.listVersions(swept.prefix, { signal })) {
      listed += 1;
      if (swept.kindOf(object) === undefined) foreign += 1;
      else batch.push(object);
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

async function sweepBatch(parts: BucketPassParts, swept: SweptObjects, batch: readonly Listed[], signal: AbortSignal): Promise<{ objects: number; bytes: number }> {
  let [objects, bytes] = [0, 0];
  if (batch.length === 0) return { objects, bytes };
  // After the listing: a resource that is not there now was not there when the object was stored, or never will be again.
  const removableFrom = await swept.removableFrom(batch);
  const now = await databaseTime(parts.db);
  for (const [i, object] of batch.entries()) {
    const from = removableFrom[i];
    const kind = swept.kindOf(object);
    if (from === undefined || from > now || kind === undefined) continue;
    bytes += await remove(parts, object, kind, 'bucket', signal);
    objects += 1;
  }
  return { objects, bytes };
}

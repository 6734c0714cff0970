import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';

const pruneSql = sql(import.meta.url, 'prune');
const pruneMemorySql = sql(import.meta.url, 'prune-memory');
const partitionsSql = sql(import.meta.url, 'partitions');

export const pruneEveryMs = 5_000;
/** Some 50 ms of PostgreSQL's time: what else waits for these rows or pages waits no longer. */
const rowsPerStatement = 1_000;

/**
 * Removes finished jobs past their retention, and what only repeats of calls needed. A statement removes at most `atMost` rows of a table; where one was full there may be more: the answer is
 * how many rows went then, and 0 when all is done.
 */
export function prune(db: Database, logger: Logger, atMost = rowsPerStatement): () => Promise<number> {
  return async () => {
    const jobs = await db.query(pruneSql, [atMost]);
    const [memory] = await db.query<{ settlements: number; events: number; reports: number; workers: number }>(pruneMemorySql, [atMost]);
    if (jobs.length > 0) logger.debug({ event: 'jobs_pruned', jobs: jobs.length, settlements: memory?.settlements ?? 0 }, 'finished jobs were pruned');
    const removed = [jobs.length, ...Object.values(memory ?? {})];
    return removed.some((rows) => rows >= atMost) ? removed.reduce((sum, rows) => sum + rows) : 0;
  };
}

export const partitionsEveryMs = 3_600_000;

/** Makes the partitions of the coming days and drops empty old ones. */
export function tendPartitions(db: Database, logger: Logger): () => Promise<void> {
  return async () => {
    const [row] = await db.query<{ made: number; dropped: number }>(partitionsSql, []);
    if (row !== undefined && row.made + row.dropped > 0) logger.info({ event: 'partitions_tended', ...row }, 'partitions of finished jobs were made or dropped');
  };
}

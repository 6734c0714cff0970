import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';

const pruneSql = sql(import.meta.url, 'prune');
const pruneMemorySql = sql(import.meta.url, 'prune-memory');
const partitionsSql = sql(import.meta.url, 'partitions');

export const pruneEveryMs = 5_000;
const rowsPerRun = 1_000;

/** Removes finished jobs past their retention, and what only repeats of calls needed. Bounded per run; a full batch is followed by the next at once. */
export function prune(db: Database, logger: Logger): () => Promise<number> {
  return async () => {
    const jobs = await db.query(pruneSql, [rowsPerRun]);
    const [memory] = await db.query<{ settlements: number; events: number; reports: number; workers: number }>(pruneMemorySql, [rowsPerRun]);
    if (jobs.length > 0) logger.debug({ event: 'jobs_pruned', jobs: jobs.length, settlements: memory?.settlements ?? 0 }, 'finished jobs were pruned');
    return jobs.length === rowsPerRun || memory?.settlements === rowsPerRun ? rowsPerRun : 0;
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

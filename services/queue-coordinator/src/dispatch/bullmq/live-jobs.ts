import { sql, type Database } from '@leasehold/postgres';

const liveJobsSql = sql(import.meta.url, 'live-jobs');

export interface LiveJob {
  readonly enqueue_id: bigint;
  readonly state: 'queued' | 'leased';
  /** Until it is due, or until its lease runs out. */
  readonly wait_ms: number;
}

/** Those of the enqueues that are not over. */
export async function liveJobs(db: Database, enqueueIds: readonly bigint[]): Promise<Map<bigint, LiveJob>> {
  const rows = enqueueIds.length === 0 ? [] : await db.query<LiveJob>(liveJobsSql, [enqueueIds]);
  return new Map(rows.map((row) => [row.enqueue_id, row]));
}

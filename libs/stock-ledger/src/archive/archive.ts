import { sql, type Database, type Statement } from '@leasehold/postgres';

const month = sql(import.meta.url, 'month');
const planAnew = sql(import.meta.url, 'plan-anew');
const kinds = [
  { oldest: sql(import.meta.url, 'oldest-move'), move: sql(import.meta.url, 'move-moves') },
  { oldest: sql(import.meta.url, 'oldest-warehouse-move'), move: sql(import.meta.url, 'move-warehouse-moves') },
  { oldest: sql(import.meta.url, 'oldest-row-error'), move: sql(import.meta.url, 'move-row-errors') },
];

export interface ArchiveRun {
  /** Moves and row errors older than this many ms go to the archive. */
  readonly olderThanMs: number;
  /** Of each kind in one run, so that no statement takes long; 1 to 100 000. */
  readonly limit: number;
  /** Ends the run between two statements. */
  readonly signal?: AbortSignal;
}

/** One bounded run; more than 0: there may be more. Two at once do no harm: what one has moved the other finds gone. */
export async function archive(db: Database, run: ArchiveRun): Promise<number> {
  let moved = 0;
  for (const kind of kinds) {
    if (run.signal?.aborted === true) break;
    moved += await archiveMonth(db, kind, run);
  }
  return moved;
}

async function archiveMonth(db: Database, kind: { oldest: Statement; move: Statement }, { olderThanMs, limit }: ArchiveRun): Promise<number> {
  const [oldest] = await db.transaction(async (tx) => {
    await tx.query(planAnew, []);
    return tx.query<{ at_time: Date }>(kind.oldest, [olderThanMs]);
  });
  if (oldest === undefined) return 0;
  const [bounds] = await db.query<{ month_start: Date; month_end: Date }>(month, [oldest.at_time]);
  const [answer] = await db.query<{ moved: number }>(kind.move, [olderThanMs, bounds?.month_start, bounds?.month_end, limit]);
  return answer?.moved ?? 0;
}

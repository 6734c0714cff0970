import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Move } from '../dispatch/dispatcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';

const exhaustSql = sql(import.meta.url, 'exhaust');

export const exhaustEveryMs = 30_000;
const rowsPerRun = 500;

interface ExhaustedRow {
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly fence: bigint;
  readonly age_ms: number;
}

/** Ends queued jobs that no grant may take any more, as their attempts are spent; answers how many when there may be more. */
export function exhaustJobs(db: Database, signals: Signals, dispatchers: Dispatchers, figures: QueueFigures, logger: Logger): () => Promise<number> {
  return async () => {
    const rows = await db.query<ExhaustedRow>(exhaustSql, [rowsPerRun]);
    for (const row of rows) {
      figures.jobFinished(row.kind, row.contract_version, 'failed', 'EXHAUSTED', row.age_ms);
      logger.warn({ event: 'job_exhausted', kind: row.kind, version: row.contract_version, namespace: row.namespace, job_id: row.job_id, enqueue_id: row.enqueue_id.toString(), fence: row.fence.toString() }, 'a queued job has no attempt left');
    }
    dispatchers.moved(rows.map((row): Move => ({
      kind: row.kind, contractVersion: row.contract_version, enqueueId: row.enqueue_id, token: undefined, to: { state: 'failed', reason: 'EXHAUSTED' },
    })));
    if (rows.length > 0) signals.send('change', ...rows.map((row) => `outcome ${row.kind}` as const));
    return rows.length < rowsPerRun ? 0 : rows.length;
  };
}

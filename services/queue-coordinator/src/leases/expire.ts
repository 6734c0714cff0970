import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Move } from '../dispatch/dispatcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';

const expireSql = sql(import.meta.url, 'expire');

/** Half of the second within which an expired lease must be claimable again. */
export const expireEveryMs = 500;

const rowsPerRun = 500;

interface ExpiredRow {
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly fence: bigint;
  readonly attempts: number;
  readonly worker_id: string;
  readonly build: string;
  readonly lease_token: Buffer;
  readonly ended_fence: bigint;
  readonly age_ms: number;
}

/** Voids leases past their time; answers how many, so that a full batch is followed by the next at once. */
export function expireLeases(db: Database, signals: Signals, dispatchers: Dispatchers, figures: QueueFigures, logger: Logger): () => Promise<number> {
  return async () => {
    const rows = await db.query<ExpiredRow>(expireSql, [rowsPerRun]);
    for (const row of rows) {
      const exhausted = row.ended_fence > 0n;
      figures.leaseExpired(row.kind, row.contract_version, row.build);
      if (exhausted) figures.jobFinished(row.kind, row.contract_version, 'failed', 'EXHAUSTED', row.age_ms);
      logger.warn(
        {
          event: 'lease_expired', kind: row.kind, version: row.contract_version, namespace: row.namespace, job_id: row.job_id, enqueue_id: row.enqueue_id.toString(),
          fence: row.fence.toString(), attempt: row.attempts, worker_id: row.worker_id, state: exhausted ? 'failed' : 'queued',
        },
        exhausted ? 'a lease ran out on the last attempt: the job is exhausted' : 'a lease ran out: the job is claimable again',
      );
    }
    dispatchers.moved(rows.map((row): Move => ({
      kind: row.kind, contractVersion: row.contract_version, enqueueId: row.enqueue_id, token: row.lease_token,
      to: row.ended_fence > 0n ? { state: 'failed', reason: 'EXHAUSTED' } : { state: 'queued', delayMs: 0 },
    })));
    if (rows.length > 0) signals.send('change', ...rows.map((row) => (row.ended_fence > 0n ? (`outcome ${row.kind}` as const) : (`due ${row.kind}` as const))));
    return rows.length < rowsPerRun ? 0 : rows.length;
  };
}

import type { ObjectStore } from '@leasehold/object-store';
import type { Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Metrics } from '../figures/metrics.js';

const alarmingMs = 5_000;

/**
 * Measures how far the database's and the store's clocks are ahead of this process's, and reports it: due times are judged by the
 * database, signed URLs by the clocks of the application and of the store. Says it, decides nothing.
 */
export async function reportClockSkew({ db, store, metrics, logger }: { db: Database; store: ObjectStore; metrics: Metrics; logger: Logger }): Promise<void> {
  const report = (against: 'database' | 'store', skewMs: number): void => {
    metrics.clockSkewSeconds.set({ against }, skewMs / 1000);
    const level = Math.abs(skewMs) > alarmingMs ? 'warn' : 'info';
    logger[level]({ event: 'clock_skew', against, skew_ms: Math.round(skewMs) }, 'positive: the other clock is ahead');
  };
  report('database', await skewOf(async () => (await db.pool.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now));
  report('store', (await store.measureClockSkew()).skewMs);
}

/** Taken half way through the call, as the other side read its clock somewhere within it. */
async function skewOf(read: () => Promise<Date | undefined>): Promise<number> {
  const sent = Date.now();
  const there = await read();
  const here = (sent + Date.now()) / 2;
  return there === undefined ? 0 : there.getTime() - here;
}

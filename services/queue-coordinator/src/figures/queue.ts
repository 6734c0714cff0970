import { Gauge, type Registry } from 'prom-client';
import { sql, type Database } from '@leasehold/postgres';

const queueSql = sql(import.meta.url, 'queue');

interface QueueRow {
  readonly kind: string;
  readonly version: number;
  readonly due: number;
  readonly scheduled: number;
  readonly leased: number;
  readonly past_expiry: number;
  readonly oldest_due_s: number;
  readonly unacknowledged: number;
  readonly readers: number;
}

/** The queue's figures as of now, from the database: every coordinator shows the same. Read at most every `maxAgeMs`, however often it is scraped. */
export function observeQueue(db: Database, registry: Registry, now: () => number, maxAgeMs = 2_000): void {
  let reading: { readonly atMs: number; readonly done: Promise<void> } | undefined;
  // prom-client collects all gauges at once: the first to ask reads for all of them.
  const collect = async (): Promise<void> => {
    if (reading === undefined || now() - reading.atMs >= maxAgeMs) reading = { atMs: now(), done: read() };
    await reading.done;
  };
  const gauge = (name: string, help: string, ...more: string[]): Gauge => new Gauge({ name, help, labelNames: ['kind', 'version', ...more], registers: [registry], collect });

  const jobs = gauge('leasehold_jobs', 'Unfinished jobs: due, scheduled (due later) or leased.', 'state');
  const oldest = gauge('leasehold_oldest_due_job_age_seconds', 'How long the oldest claimable job has been due.');
  const pastExpiry = gauge('leasehold_leases_past_expiry', 'Leases past their time that no coordinator has voided yet; above 0 for seconds means that no expire duty runs.');
  const outcomes = gauge('leasehold_outcomes_unacknowledged', 'Finished jobs whose producer has not acknowledged the outcome.');
  const readers = gauge('leasehold_workers_reading', 'Live workers that declared the contract and are not suspended for it.');
  const unroutable = gauge('leasehold_jobs_unroutable', 'Due jobs of a contract that no live worker reads: they wait and spend no attempt.');
  const up = new Gauge({ name: 'leasehold_queue_figures_up', help: '1 when the figures could be read at this scrape.', registers: [registry], collect });

  const read = async (): Promise<void> => {
    const rows = await db.query<QueueRow>(queueSql, []).catch(() => undefined);
    // Without an answer the gauges go away: old figures would look like good ones. /readyz names the database's error.
    for (const each of [jobs, oldest, pastExpiry, outcomes, readers, unroutable]) each.reset();
    up.set(rows === undefined ? 0 : 1);
    for (const { kind, version, ...row } of rows ?? []) {
      jobs.set({ kind, version, state: 'due' }, row.due);
      jobs.set({ kind, version, state: 'scheduled' }, row.scheduled);
      jobs.set({ kind, version, state: 'leased' }, row.leased);
      oldest.set({ kind, version }, row.oldest_due_s);
      pastExpiry.set({ kind, version }, row.past_expiry);
      outcomes.set({ kind, version }, row.unacknowledged);
      readers.set({ kind, version }, row.readers);
      unroutable.set({ kind, version }, row.readers === 0 ? row.due : 0);
    }
  };
}

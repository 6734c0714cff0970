import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';
import { findJobs } from './find.js';
import { isFinal, type Job } from './job.js';
import { renderJobName, type JobName } from './job-name.js';

const cancelSql = sql(import.meta.url, 'cancel');
const reserveNameSql = sql(import.meta.url, 'reserve-name');
const burySql = sql(import.meta.url, 'bury');

export type CancelResult =
  | { readonly verdict: 'ended'; readonly job: Job }
  /** Another enqueue of the id is live: the one that was meant is over. */
  | { readonly verdict: 'superseded'; readonly job: Job }
  /** The enqueue that was meant has no record any more. */
  | { readonly verdict: 'unknown' };

interface CancelledRow {
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly fence: bigint;
  readonly was_state: string;
  readonly lease_token: Buffer | null;
  readonly age_ms: number;
}

// Each round sees what the one before only waited for.
const rounds = 5;

/** Ends jobs on behalf of their producer. */
export class Canceller {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #dispatchers: Dispatchers;
  readonly #figures: QueueFigures;
  readonly #logger: Logger;

  constructor(db: Database, signals: Signals, dispatchers: Dispatchers, figures: QueueFigures, logger: Logger) {
    this.#db = db;
    this.#signals = signals;
    this.#dispatchers = dispatchers;
    this.#figures = figures;
    this.#logger = logger;
  }

  /**
   * Ends the job unless it is finished; `enqueueId` 0 means whichever enqueue there is, and leaves a tombstone when there is none.
   * A later enqueue of the same id is never hit by the cancel of an earlier one.
   */
  async cancel(name: JobName, enqueueId: bigint): Promise<CancelResult> {
    const place = [name.namespace, name.kind, name.jobId];
    for (let round = 1; round <= rounds; round++) {
      const [row] = await this.#db.query<CancelledRow>(cancelSql, [...place, enqueueId]);
      if (row !== undefined) this.#announce(name, row);
      const job = (await findJobs(this.#db, [name])).get(renderJobName(name));
      if (job !== undefined && isFinal(job.state) && (enqueueId === 0n || job.enqueueId === enqueueId)) return { verdict: 'ended', job };
      if (job !== undefined && job.enqueueId !== enqueueId && enqueueId !== 0n) return { verdict: 'superseded', job };
      if (job === undefined && enqueueId !== 0n) return { verdict: 'unknown' };
      if (job === undefined) await this.#bury(place);
    }
    throw new Error(`${renderJobName(name)} changed ${rounds} times while it was cancelled`);
  }

  async #bury(place: readonly string[]): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const [reserved] = await tx.query<{ enqueue_id: bigint }>(reserveNameSql, place);
      // Not free after all: an enqueue came first, and the next round cancels its job.
      if (reserved !== undefined) await tx.query(burySql, [reserved.enqueue_id]);
    });
  }

  #announce(name: JobName, row: CancelledRow): void {
    this.#figures.jobFinished(name.kind, row.contract_version, 'cancelled', '', row.age_ms);
    this.#logger.info(
      { event: 'job_cancelled', kind: name.kind, version: row.contract_version, namespace: name.namespace, job_id: name.jobId, enqueue_id: row.enqueue_id.toString(), fence: row.fence.toString(), was: row.was_state },
      'a producer cancelled its job',
    );
    this.#dispatchers.moved([{
      kind: name.kind, contractVersion: row.contract_version, enqueueId: row.enqueue_id, token: row.lease_token ?? undefined, to: { state: 'cancelled', reason: 'CANCELLED' },
    }]);
    this.#signals.send('change', `outcome ${name.kind}`);
  }
}

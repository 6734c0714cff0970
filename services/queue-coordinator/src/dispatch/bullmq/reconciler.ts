import type { Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Signals } from '../signals.js';
import type { Failpoint } from './failpoint.js';
import type { BullmqFigures } from './figures.js';
import { liveJobs } from './live-jobs.js';
import type { ProposalQueue } from './proposal-queue.js';
import type { ProposalQueues } from './queues.js';
import { overdueRows, pageOfRows, type Place, type QueuedRow } from './rows.js';

export interface ReconcilerParts {
  readonly db: Database;
  readonly queues: ProposalQueues;
  readonly signals: Signals;
  readonly figures: BullmqFigures;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
}

export const overdueEveryMs = 1_000;
export const sampleEveryMs = 5_000;

// Within five seconds of its due time a job is to be proposed, whatever was lost: this, the second between two looks, and the second between two polls.
const overdueMs = 1_500;
const overduePerClass = 20;
const pageSize = 200;
const unfinished = ['wait', 'prioritized', 'delayed', 'active'] as const;

/**
 * Makes BullMQ agree with the rows where they differ: queued jobs that it does not have are added, what it keeps of them as over is removed and added, what nobody waits for any
 * more is purged. Leased rows are left alone. Any number of coordinators may do so at once, also while jobs are relayed, proposed and settled.
 */
export class Reconciler {
  readonly #o: ReconcilerParts;
  readonly #rowPlaces = new Map<ProposalQueue, Place>();
  readonly #recordPlaces = new Map<string, number>();

  constructor(parts: ReconcilerParts) {
    this.#o = parts;
  }

  /** Looks at jobs that nobody took though they are due, first things first. In a queue that is merely long these are well, and it costs a few reads. */
  async overdue(): Promise<void> {
    const queues = this.#o.queues.all();
    if (queues.length > 0) await this.#mend(await overdueRows(this.#o.db, queues, overdueMs, overduePerClass));
  }

  /** Looks at the next page of everything, rows and records, and begins again at its end. */
  async sample(): Promise<void> {
    for (const queue of this.#o.queues.all()) {
      const rows = await pageOfRows(this.#o.db, queue, this.#rowPlaces.get(queue), pageSize);
      this.#rowPlaces.set(queue, rows.length < pageSize ? undefined : rows.at(-1));
      await this.#mend(rows);
      for (const state of unfinished) {
        const key = `${queue.kind}@${queue.version} ${state}`;
        const start = this.#recordPlaces.get(key) ?? 0;
        const { read, purged } = await this.#purge(queue, state, start);
        this.#recordPlaces.set(key, read < pageSize ? 0 : start + read - purged);
      }
    }
  }

  /** Looks at everything. */
  async all(signal: AbortSignal): Promise<void> {
    for (const queue of this.#o.queues.all()) {
      let rows: QueuedRow[] = [];
      do {
        signal.throwIfAborted();
        rows = await pageOfRows(this.#o.db, queue, rows.at(-1), pageSize);
        await this.#mend(rows);
      } while (rows.length === pageSize);
      for (const state of unfinished) {
        let start = 0;
        for (let read = pageSize; read === pageSize;) {
          signal.throwIfAborted();
          const page = await this.#purge(queue, state, start);
          read = page.read;
          start += page.read - page.purged;
        }
      }
    }
  }

  async #mend(rows: readonly QueuedRow[]): Promise<void> {
    const mended = await Promise.all(rows.map((row) => this.#mendOne(row)));
    const kinds = rows.filter((_, index) => mended[index] === true).map((row) => row.kind);
    if (kinds.length > 0) this.#o.signals.send(...kinds.map((kind) => `due ${kind}` as const));
  }

  /** Whether anything had to be done. */
  async #mendOne(row: QueuedRow): Promise<boolean> {
    const queue = this.#o.queues.of(row.kind, row.contract_version);
    const where = await queue.whereabouts(row.enqueue_id);
    this.#o.failpoint('reconciling', row.enqueue_id);
    switch (where) {
      case 'absent':
        return this.#add(queue, row, where);
      case 'finished':
        // Locked by now: somebody else did the same, and it was proposed.
        return (await queue.remove(row.enqueue_id)) && this.#add(queue, row, where);
      case 'active':
        return this.#putBack(queue, row);
      case 'delayed':
        return row.overdue_ms >= overdueMs && this.#promote(queue, row);
      case 'waiting':
        return false;
    }
  }

  async #add(queue: ProposalQueue, row: QueuedRow, was: string): Promise<boolean> {
    await queue.add({ enqueueId: row.enqueue_id, priority: row.priority, delayMs: row.delay_ms });
    this.#noted(queue, row.enqueue_id, 'readded', was);
    return true;
  }

  /** Held under the lease before: that it ended did not reach BullMQ. Held under another token it is just being proposed. */
  async #putBack(queue: ProposalQueue, row: QueuedRow): Promise<boolean> {
    if (row.dispatch_token === null) return false;
    const done = await attempt(queue.putBack(row.enqueue_id, row.dispatch_token, row.delay_ms));
    if (done) this.#noted(queue, row.enqueue_id, 'put_back', 'active');
    return done;
  }

  /** Delayed beyond its time: by the clock of another coordinator, or put back until a lease would end that ended sooner. */
  async #promote(queue: ProposalQueue, row: QueuedRow): Promise<boolean> {
    const done = await attempt(queue.promote(row.enqueue_id));
    if (done) this.#noted(queue, row.enqueue_id, 'promoted', 'delayed');
    return done;
  }

  /** Records whose job is over. What is read here first and there second cannot be of a job that is only coming: rows are there before records. */
  async #purge(queue: ProposalQueue, state: (typeof unfinished)[number], start: number): Promise<{ read: number; purged: number }> {
    const { enqueueIds, read } = await queue.page(state, start, pageSize);
    const live = await liveJobs(this.#o.db, enqueueIds);
    let purged = 0;
    for (const enqueueId of enqueueIds) {
      if (live.has(enqueueId)) continue;
      if (!(state === 'active' ? await this.#end(queue, enqueueId) : await queue.remove(enqueueId))) continue;
      purged += 1;
      this.#noted(queue, enqueueId, 'purged', state);
    }
    return { read, purged };
  }

  /** An active record of a job that is over: its end did not reach BullMQ. Without a lock the stalled check comes first. */
  async #end(queue: ProposalQueue, enqueueId: bigint): Promise<boolean> {
    const lock = await queue.lockOf(enqueueId);
    return lock !== undefined && attempt(queue.finish(enqueueId, lock, { state: 'succeeded', reason: '' }));
  }

  #noted(queue: ProposalQueue, enqueueId: bigint, event: 'readded' | 'put_back' | 'promoted' | 'purged', was: string): void {
    this.#o.figures.proposal(queue.kind, queue.version, event);
    this.#o.logger.info({ event: 'proposal_mended', what: event, was, kind: queue.kind, version: queue.version, enqueue_id: enqueueId.toString() }, 'BullMQ did not agree with the row');
  }
}

/** Whether it could be done. A record that moved meanwhile is no error: somebody else was quicker. */
const attempt = (what: Promise<void>): Promise<boolean> => what.then(() => true, (error: unknown) => {
  // A negative code is BullMQ's answer about the record; anything else is Redis.
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') return false;
  throw error;
});

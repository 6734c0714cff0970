import { sql, type Database } from '@leasehold/postgres';
import type { Signals } from '../signals.js';
import type { Failpoint } from './failpoint.js';
import type { BullmqFigures } from './figures.js';
import type { RedisLink } from './link.js';
import type { ProposalQueues } from './queues.js';

const undispatchedSql = sql(import.meta.url, 'undispatched');
const markDispatchedSql = sql(import.meta.url, 'mark-dispatched');

export const relayEveryMs = 1_000;
const rowsPerRun = 500;

interface UndispatchedRow {
  readonly enqueue_id: bigint;
  readonly kind: string;
  readonly contract_version: number;
  readonly priority: number;
  readonly delay_ms: number;
}

export interface RelayParts {
  readonly db: Database;
  readonly link: RedisLink;
  readonly queues: ProposalQueues;
  readonly signals: Signals;
  readonly figures: BullmqFigures;
  readonly failpoint: Failpoint;
}

/**
 * Takes enqueued jobs to BullMQ: the outbox is the column dispatched_at, which is set once BullMQ has answered. Several coordinators may relay the same
 * job, which BullMQ takes once. Nothing waits for it: without Redis the jobs stay in the column.
 */
export function relayJobs({ db, link, queues, signals, figures, failpoint }: RelayParts): () => Promise<number> {
  return async () => {
    if (!link.ready || queues.kinds.length === 0) return 0;
    const rows = await db.query<UndispatchedRow>(undispatchedSql, [queues.kinds, rowsPerRun]);
    if (rows.length === 0) return 0;
    // Sent in order over one connection, so that BullMQ has them in the order of their enqueueing.
    const answers = await Promise.allSettled(rows.map(async (row) => {
      await queues.of(row.kind, row.contract_version).add({ enqueueId: row.enqueue_id, priority: row.priority, delayMs: row.delay_ms });
      failpoint('added', row.enqueue_id);
      return row;
    }));
    const added = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    if (added.length > 0) {
      await db.query(markDispatchedSql, [added.map((row) => row.enqueue_id)]);
      for (const row of added) figures.proposal(row.kind, row.contract_version, 'relayed');
      signals.send(...added.map((row) => `due ${row.kind}` as const));
    }
    const failed = answers.find((answer) => answer.status === 'rejected');
    // A connection that broke meanwhile is known already, and its return wakes the relay.
    if (failed !== undefined && link.ready) throw failed.reason;
    return rows.length === rowsPerRun && failed === undefined ? rows.length : 0;
  };
}

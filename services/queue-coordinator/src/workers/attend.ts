import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Signals } from '../dispatch/signals.js';
import { fence } from '../leases/fence.js';
import { hasUndelivered, type RecordedLease } from '../leases/rules.js';

const attendSql = sql(import.meta.url, 'attend');
const releaseUndeliveredSql = sql(import.meta.url, 'release-undelivered');

/** What a worker says about itself with each acquire and extend. */
export interface Presence {
  readonly workerId: string;
  readonly answeredSeq: bigint;
  readonly heldFences: readonly bigint[];
}

/** A worker that the coordinator knows, as of this call. */
export interface AttendedWorker {
  readonly build: string;
  readonly draining: boolean;
  readonly cordoned: boolean;
  /** The largest number that the worker ever called answered, this call included. */
  readonly answeredSeq: bigint;
  readonly recorded: readonly RecordedLease[];
  reads(kind: string, version: number): boolean;
  suspended(kind: string, version: number): boolean;
}

interface AttendRow {
  readonly build: string;
  readonly state: string;
  readonly answered_before: bigint;
  readonly declared: string[];
  readonly suspended: string[];
  readonly fences: bigint[];
  readonly request_seqs: bigint[];
}

interface UndeliveredRow {
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly fence: bigint;
}

/** Notes signs of life, and gives back what never reached its worker. */
export class Attendance {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #logger: Logger;

  constructor(db: Database, signals: Signals, logger: Logger) {
    this.#db = db;
    this.#signals = signals;
    this.#logger = logger;
  }

  /** Undefined when the worker is unknown or was judged gone: it must register again. */
  async attend(presence: Presence): Promise<AttendedWorker | undefined> {
    const [row] = await this.#db.query<AttendRow>(attendSql, [presence.workerId, presence.answeredSeq]);
    if (row === undefined) return undefined;
    const recorded = row.fences.map((value, index): RecordedLease => ({ fence: fence(value), requestSeq: row.request_seqs[index] ?? 0n }));
    const answeredSeq = row.answered_before > presence.answeredSeq ? row.answered_before : presence.answeredSeq;
    // An old copy of a call that comes late is right as well: what it does not list of the calls that it knows as answered was not held
    // then, and cannot have come to be held since.
    if (hasUndelivered(recorded, presence.answeredSeq, new Set(presence.heldFences))) await this.#releaseUndelivered(presence);
    const declared = new Set(row.declared);
    const suspended = new Set(row.suspended);
    return {
      build: row.build,
      draining: row.state === 'draining',
      cordoned: row.state === 'cordoned',
      answeredSeq,
      recorded,
      reads: (kind, version) => declared.has(`${kind}@${version}`),
      suspended: (kind, version) => suspended.has(`${kind}@${version}`),
    };
  }

  async #releaseUndelivered(presence: Presence): Promise<void> {
    const rows = await this.#db.query<UndeliveredRow>(releaseUndeliveredSql, [presence.workerId, presence.answeredSeq, presence.heldFences]);
    for (const row of rows) {
      this.#logger.info(
        { event: 'lease_undelivered', kind: row.kind, namespace: row.namespace, job_id: row.job_id, enqueue_id: row.enqueue_id.toString(), fence: row.fence.toString(), worker_id: presence.workerId },
        'a lease never reached its worker and was given back',
      );
    }
    this.#signals.send(...rows.map((row) => `due ${row.kind}` as const), 'change');
  }
}

import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Move } from '../dispatch/dispatcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import { fence } from '../leases/fence.js';
import type { RecordedLease } from '../leases/rules.js';

const attendSql = sql(import.meta.url, 'attend');

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
  readonly answered_seq: bigint;
  readonly declared: string[];
  readonly suspended: string[];
  readonly fences: bigint[];
  readonly request_seqs: bigint[];
  readonly given_back_kinds: string[];
  readonly given_back_enqueues: bigint[];
  readonly given_back_fences: bigint[];
  readonly given_back_versions: number[];
  readonly given_back_tokens: Buffer[];
}

/** Notes signs of life, and gives back what never reached its worker. */
export class Attendance {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #dispatchers: Dispatchers;
  readonly #logger: Logger;

  constructor(db: Database, signals: Signals, dispatchers: Dispatchers, logger: Logger) {
    this.#db = db;
    this.#signals = signals;
    this.#dispatchers = dispatchers;
    this.#logger = logger;
  }

  /** Undefined when the worker is unknown or was judged gone: it must register again. */
  async attend(presence: Presence): Promise<AttendedWorker | undefined> {
    const [row] = await this.#db.query<AttendRow>(attendSql, [presence.workerId, presence.answeredSeq, presence.heldFences]);
    if (row === undefined) return undefined;
    if (row.given_back_kinds.length > 0) this.#announce(row, presence.workerId);
    const recorded = row.fences.map((value, index): RecordedLease => ({ fence: fence(value), requestSeq: row.request_seqs[index] ?? 0n }));
    const declared = new Set(row.declared);
    const suspended = new Set(row.suspended);
    return {
      build: row.build,
      draining: row.state === 'draining',
      cordoned: row.state === 'cordoned',
      answeredSeq: row.answered_seq,
      recorded,
      reads: (kind, version) => declared.has(`${kind}@${version}`),
      suspended: (kind, version) => suspended.has(`${kind}@${version}`),
    };
  }

  #announce(row: AttendRow, workerId: string): void {
    for (const [index, kind] of row.given_back_kinds.entries()) {
      this.#logger.info(
        { event: 'lease_undelivered', kind, enqueue_id: row.given_back_enqueues[index], fence: row.given_back_fences[index], worker_id: workerId },
        'a lease never reached its worker and was given back',
      );
    }
    this.#dispatchers.moved(row.given_back_kinds.flatMap((kind, index): Move[] => {
      const [enqueueId, contractVersion, token] = [row.given_back_enqueues[index], row.given_back_versions[index], row.given_back_tokens[index]];
      return enqueueId === undefined || contractVersion === undefined || token === undefined ? [] : [{ kind, contractVersion, enqueueId, token, to: { state: 'queued', delayMs: 0 } }];
    }));
    this.#signals.send(...row.given_back_kinds.map((kind) => `due ${kind}` as const), 'change');
  }
}

import { sql, type Database, type Transaction } from '@leasehold/postgres';
import { OwedJobs, owedJobStatements, type Owed, type StoredJob } from '../../jobs/owed-jobs.js';
import { importKind, type ImportId } from '../resource-name.js';

const statements = { owe: sql(import.meta.url, 'owe'), cancel: sql(import.meta.url, 'cancel'), settled: sql(import.meta.url, 'settled'), accepted: sql(import.meta.url, 'accepted') };

/** The jobs of imports: rows of their own, beside the ledger's. */
export class ImportJobs extends OwedJobs {
  readonly #db: Database;

  constructor(db: Database) {
    super(db, owedJobStatements(import.meta.url), { kind: importKind, noun: 'import' });
    this.#db = db;
  }

  /** Stores the job of a generation that `tx` accepts: due at the relay. */
  async owe(tx: Transaction, { namespace, importId }: ImportId, generation: number, job: StoredJob): Promise<void> {
    await tx.query(statements.owe, [namespace, importId, generation, job.jobId, job.contractVersion, job.payload, job.digest]);
  }

  /** Makes the job of a generation that `tx` cancels due at the cancel duty. */
  async cancel(tx: Transaction, { namespace, importId }: ImportId, generation: number): Promise<void> {
    await tx.query(statements.cancel, [namespace, importId, generation]);
  }

  /** Nothing is owed for that generation any more. Returns how long it was, in ms; undefined when nothing was owed. */
  async settled(tx: Transaction, { namespace, id, generation }: Owed): Promise<number | undefined> {
    const [row] = await tx.query<{ queue_time: Date; settle_time: Date }>(statements.settled, [namespace, id, generation]);
    return row && row.settle_time.getTime() - row.queue_time.getTime();
  }

  /** How many wait for their outcome, and for how many seconds the oldest does. */
  async accepted(): Promise<{ count: number; oldestSeconds: number }> {
    const [row] = await this.#db.query<{ accepted: bigint; oldest: number | null }>(statements.accepted, []);
    return { count: Number(row?.accepted ?? 0n), oldestSeconds: row?.oldest ?? 0 };
  }
}

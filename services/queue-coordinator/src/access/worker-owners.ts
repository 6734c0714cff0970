import { sql, type Database } from '@leasehold/postgres';

const ownerSql = sql(import.meta.url, 'owner-of-worker');
const foreignLeasesSql = sql(import.meta.url, 'foreign-leases');

/** Far more than workers that are alive at once; what is forgotten is asked for again. */
const remembered = 20_000;

/** Whose workers and leases are: the identity that registered a worker. It never changes, so that it is asked for once. */
export class WorkerOwners {
  readonly #db: Database;
  readonly #known = new Map<string, string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined for a worker that nobody has registered, or that is long gone. */
  async ownerOf(workerId: string): Promise<string | undefined> {
    const known = this.#known.get(workerId);
    if (known !== undefined) return known;
    const [row] = await this.#db.query<{ identity: string }>(ownerSql, [workerId]);
    if (row === undefined) return undefined;
    if (this.#known.size >= remembered) this.#known.clear();
    this.#known.set(workerId, row.identity);
    return row.identity;
  }

  /** Those of the enqueues that are leased to workers of others. */
  async foreign(enqueueIds: readonly bigint[], identity: string): Promise<bigint[]> {
    if (enqueueIds.length === 0) return [];
    const rows = await this.#db.query<{ enqueue_id: bigint }>(foreignLeasesSql, [enqueueIds, identity]);
    return rows.map((row) => row.enqueue_id);
  }
}

import { sql, type Database } from '@leasehold/postgres';
import { Batcher } from '../batcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { QueueFigures } from '../figures/counters.js';
import { leaseOf, type Granted, type GrantRequest, type LeaseRow } from './lease.js';

const replaySql = sql(import.meta.url, 'replay');

/** Grants leases, for all workers that ask for the same class of jobs at the same time together. */
export class Granter {
  readonly #db: Database;
  readonly #dispatchers: Dispatchers;
  readonly #figures: QueueFigures;
  readonly #now: () => number;
  readonly #batchers = new Map<string, Batcher<GrantRequest, Granted>>();

  constructor(db: Database, dispatchers: Dispatchers, figures: QueueFigures, now: () => number) {
    this.#db = db;
    this.#dispatchers = dispatchers;
    this.#figures = figures;
    this.#now = now;
  }

  /** Leases up to `slots` due jobs; none when none is due. A call whose caller is gone by then leaves leases that are given back as undelivered. */
  async grant(request: GrantRequest): Promise<Granted> {
    const key = `${request.kind} ${request.versions.join(',')} ${request.build}`;
    let batcher = this.#batchers.get(key);
    if (batcher === undefined) {
      batcher = new Batcher({ run: (requests) => this.#grantAll(request.kind, requests), sizeOf: (r) => r.slots });
      this.#batchers.set(key, batcher);
    }
    return batcher.submit(request);
  }

  /** What an earlier call with the same number was granted and still holds. */
  async replay(workerId: string, requestSeq: bigint, kind: string): Promise<Granted> {
    const sentAtMs = this.#now();
    const rows = await this.#db.query<LeaseRow>(replaySql, [workerId, requestSeq, kind]);
    return { leases: rows.map((row) => leaseOf(row, kind)), sentAtMs };
  }

  async #grantAll(kind: string, requests: readonly GrantRequest[]): Promise<Granted[]> {
    const granted = await this.#dispatchers.of(kind).grant(requests);
    for (const { leases } of granted) for (const lease of leases) this.#figures.leaseGranted(kind, lease.contractVersion, lease.waitedMs);
    return granted;
  }
}

import type { Database } from '@leasehold/postgres';
import { dealOut, grantNext, slotsOf } from '../../leases/grant.js';
import type { Granted, GrantRequest } from '../../leases/lease.js';
import type { Dispatcher } from '../dispatcher.js';
import { Floors } from './floors.js';

/** Proposes and decides in one statement over the jobs themselves; keeps nothing that it would have to be told. */
export class PostgresDispatcher implements Dispatcher {
  readonly name = 'postgres';
  readonly #db: Database;
  readonly #now: () => number;
  readonly #floors: Floors;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#floors = new Floors(now);
  }

  async grant(requests: readonly GrantRequest[]): Promise<Granted[]> {
    const [first] = requests;
    if (first === undefined) return [];
    const { kind, versions } = first;
    const slots = slotsOf(requests);
    const classes = this.#floors.classes(kind, versions);
    const sentAtMs = this.#now();
    const rows = await grantNext(this.#db, first, classes, slots);
    this.#floors.granted(kind, versions, rows.map((r) => ({ contractVersion: r.contract_version, priority: r.priority, availableAt: r.available_at })), rows.length < slots.length);
    return dealOut(requests, slots, rows, sentAtMs);
  }

  enqueued(): void {}

  moved(): void {}

  readiness(): [] {
    return [];
  }
}

import { randomBytes } from 'node:crypto';
import { sql, type Database } from '@leasehold/postgres';
import { Batcher } from '../batcher.js';
import { Floors } from '../dispatch/floors.js';
import type { QueueFigures } from '../figures/counters.js';
import { fence, type Fence } from './fence.js';

const grantNextSql = sql(import.meta.url, 'grant-next');
const replaySql = sql(import.meta.url, 'replay');

export interface Lease {
  readonly namespace: string;
  readonly kind: string;
  readonly jobId: string;
  readonly enqueueId: bigint;
  readonly contractVersion: number;
  readonly priority: number;
  readonly payload: Uint8Array;
  readonly fence: Fence;
  readonly leaseToken: Uint8Array;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly availableAt: Date;
  /** What was left when the database answered, in ms. */
  readonly ttlMs: number;
  readonly runLeftMs: number;
}

/** Leases, and when the question for them went to the database, by the coordinator's monotonic clock. */
export interface Granted {
  readonly leases: readonly Lease[];
  readonly sentAtMs: number;
}

export interface GrantRequest {
  readonly workerId: string;
  readonly requestSeq: bigint;
  readonly kind: string;
  readonly build: string;
  /** Sorted, each once. */
  readonly versions: readonly number[];
  readonly slots: number;
}

interface LeaseRow {
  readonly slot: bigint;
  readonly namespace: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly priority: number;
  readonly payload: Buffer;
  readonly fence: bigint;
  readonly lease_token: Buffer;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly available_at: Date;
  readonly ttl_ms: number;
  readonly run_left_ms: number;
  readonly waited_ms: number;
}

const tokenBytes = 16;

/** Grants leases: proposes and decides in one statement, for all workers that ask for the same class of jobs at the same time. */
export class Granter {
  readonly #db: Database;
  readonly #floors: Floors;
  readonly #figures: QueueFigures;
  readonly #now: () => number;
  readonly #batchers = new Map<string, Batcher<GrantRequest, Granted>>();

  constructor(db: Database, figures: QueueFigures, now: () => number) {
    this.#db = db;
    this.#figures = figures;
    this.#now = now;
    this.#floors = new Floors(now);
  }

  /** Leases up to `slots` due jobs; none when none is due. A call whose caller is gone by then leaves leases that are given back as undelivered. */
  async grant(request: GrantRequest): Promise<Granted> {
    const key = `${request.kind} ${request.versions.join(',')} ${request.build}`;
    let batcher = this.#batchers.get(key);
    if (batcher === undefined) {
      batcher = new Batcher({ run: (requests) => this.#grantAll(requests), sizeOf: (r) => r.slots });
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

  async #grantAll(requests: readonly GrantRequest[]): Promise<Granted[]> {
    const [first] = requests;
    if (first === undefined) return [];
    const { kind, build, versions } = first;
    const slots = requests.flatMap((request) => Array.from({ length: request.slots }, () => request));
    const { versions: classVersions, priorities, floors } = this.#floors.classes(kind, versions);
    const sentAtMs = this.#now();
    const rows = await this.#db.query<LeaseRow>(grantNextSql, [
      kind, build, classVersions, priorities, floors,
      randomTokens(slots.length), slots.map((r) => r.workerId), slots.map((r) => r.requestSeq),
    ]);
    const byRequest = new Map<GrantRequest, Lease[]>(requests.map((request) => [request, []]));
    for (const row of rows) {
      const request = slots[Number(row.slot) - 1];
      if (request === undefined) throw new Error(`grant-next answered slot ${row.slot} of ${slots.length}`);
      byRequest.get(request)?.push(leaseOf(row, kind));
      this.#figures.leaseGranted(kind, row.contract_version, row.waited_ms);
    }
    this.#floors.granted(kind, versions, rows.map((r) => ({ contractVersion: r.contract_version, priority: r.priority, availableAt: r.available_at })), rows.length < slots.length);
    return requests.map((request) => ({ leases: byRequest.get(request) ?? [], sentAtMs }));
  }
}

/** One draw for the whole batch: a draw of its own per token costs more than the grant's arithmetic. */
function randomTokens(count: number): Buffer[] {
  const bytes = randomBytes(count * tokenBytes);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * tokenBytes, (i + 1) * tokenBytes));
}

const leaseOf = (row: LeaseRow, kind: string): Lease => ({
  namespace: row.namespace,
  kind,
  jobId: row.job_id,
  enqueueId: row.enqueue_id,
  contractVersion: row.contract_version,
  priority: row.priority,
  payload: row.payload,
  fence: fence(row.fence),
  leaseToken: row.lease_token,
  attempt: row.attempts,
  maxAttempts: row.max_attempts,
  availableAt: row.available_at,
  ttlMs: row.ttl_ms,
  runLeftMs: row.run_left_ms,
});

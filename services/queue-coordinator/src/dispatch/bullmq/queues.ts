import { sql, type Database } from '@leasehold/postgres';
import type { RedisLink } from './link.js';
import { ProposalQueue, type Retention } from './proposal-queue.js';

const queuesSql = sql(import.meta.url, 'queues');

interface QueueRow {
  readonly kind: string;
  readonly version: number;
  readonly retention_ms: bigint;
  readonly failed_retention_ms: bigint;
  readonly keep_succeeded: number | null;
  readonly keep_failed: number | null;
  readonly paused: boolean;
}

/** Until the policy is read. */
const unread: Retention = { completedMs: 86_400_000, failedMs: 86_400_000, completedCount: undefined, failedCount: undefined };

/** The BullMQ queues of this coordinator, each made when it is first needed and Redis is there. */
export class ProposalQueues {
  readonly #db: Database;
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #queues = new Map<string, ProposalQueue>();
  #known: readonly QueueRow[] = [];

  constructor(db: Database, link: RedisLink, prefix: string) {
    this.#db = db;
    this.#link = link;
    this.#prefix = prefix;
  }

  /** Follows contracts and policies. */
  async read(): Promise<void> {
    this.#known = await this.#db.query<QueueRow>(queuesSql, []);
    for (const row of this.#known) {
      const queue = this.#queues.get(`${row.kind}@${row.version}`);
      if (queue !== undefined) queue.retention = retentionOf(row);
    }
  }

  get kinds(): string[] {
    return [...new Set(this.#known.map((row) => row.kind))];
  }

  /** Those of all contracts that BullMQ dispatches. */
  all(): ProposalQueue[] {
    return this.#known.map(({ kind, version }) => this.of(kind, version));
  }

  /** Those of the versions that are worth asking: the jobs of a paused contract would only be refused. */
  open(kind: string, versions: readonly number[]): ProposalQueue[] {
    const paused = new Set(this.#known.filter((row) => row.kind === kind && row.paused).map((row) => row.version));
    return versions.filter((version) => !paused.has(version)).map((version) => this.of(kind, version));
  }

  of(kind: string, version: number): ProposalQueue {
    const key = `${kind}@${version}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      const row = this.#known.find((known) => known.kind === kind && known.version === version);
      queue = new ProposalQueue(this.#link.client, this.#prefix, { kind, version }, row === undefined ? unread : retentionOf(row));
      this.#queues.set(key, queue);
    }
    return queue;
  }
}

const retentionOf = (row: QueueRow): Retention => ({
  completedMs: Number(row.retention_ms),
  failedMs: Number(row.failed_retention_ms),
  completedCount: row.keep_succeeded ?? undefined,
  failedCount: row.keep_failed ?? undefined,
});

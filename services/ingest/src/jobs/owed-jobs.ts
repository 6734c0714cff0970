import { sql, type Database, type Statement } from '@leasehold/postgres';

/** A generation of a resource, which has one job. */
export interface Owed {
  readonly namespace: string;
  /** The file's or the import's own id. */
  readonly id: string;
  readonly generation: number;
}

/** A job as it is stored with its resource: what the relay sends, byte for byte. */
export interface StoredJob {
  readonly jobId: string;
  readonly contractVersion: number;
  readonly payload: Buffer;
  /** SHA-256 over the logical content, whatever the contract version. */
  readonly digest: Buffer;
}

export interface DueJob extends Owed, StoredJob {}

export interface DueCancel extends Owed {
  readonly jobId: string;
  /** 0n: none was heard of. */
  readonly enqueueId: bigint;
}

/** Where one kind of resource keeps its jobs: the same statements with the same parameters for each, in a folder of its own. */
export interface OwedJobStatements {
  readonly relayClaim: Statement;
  readonly relayMark: Statement;
  readonly relayRelease: Statement;
  readonly relayDefer: Statement;
  readonly relayReencode: Statement;
  readonly cancelClaim: Statement;
  readonly cancelConfirmed: Statement;
  readonly cancelRelease: Statement;
  readonly heal: Statement;
  readonly countQueued: Statement;
  readonly lag: Statement;
}

/** @param importMetaUrl of the module beside which a kind's statements lie. */
export const owedJobStatements = (importMetaUrl: string): OwedJobStatements => ({
  relayClaim: sql(importMetaUrl, 'relay-claim'),
  relayMark: sql(importMetaUrl, 'relay-mark'),
  relayRelease: sql(importMetaUrl, 'relay-release'),
  relayDefer: sql(importMetaUrl, 'relay-defer'),
  relayReencode: sql(importMetaUrl, 'relay-reencode'),
  cancelClaim: sql(importMetaUrl, 'cancel-claim'),
  cancelConfirmed: sql(importMetaUrl, 'cancel-confirmed'),
  cancelRelease: sql(importMetaUrl, 'cancel-release'),
  heal: sql(importMetaUrl, 'heal'),
  countQueued: sql(importMetaUrl, 'count-queued'),
  lag: sql(importMetaUrl, 'lag'),
});

interface OwedRow {
  namespace: string;
  id: string;
  generation: number;
}
interface DueRow extends OwedRow {
  job_id: string;
  job_contract_version: number;
  job_payload: Buffer;
  job_digest: Buffer;
}
interface CancelRow extends OwedRow {
  job_id: string;
  enqueue_id: bigint | null;
}

/** What the resources of one kind owe the coordinator. Each method is one statement, and safe in any number of instances. */
export class OwedJobs {
  /** As in the jobs' names. */
  readonly kind: string;
  /** The resource, in events: `{noun}_relayed`. */
  readonly noun: 'file' | 'import';
  readonly #db: Database;
  readonly #statements: OwedJobStatements;
  readonly #cancelConfirmedParams: readonly unknown[];

  /** @param o.cancelConfirmedParams what the statement `cancelConfirmed` takes behind namespace, id and generation. */
  constructor(db: Database, statements: OwedJobStatements, o: { kind: string; noun: 'file' | 'import'; cancelConfirmedParams?: readonly unknown[] }) {
    this.#db = db;
    this.#statements = statements;
    this.kind = o.kind;
    this.noun = o.noun;
    this.#cancelConfirmedParams = o.cancelConfirmedParams ?? [];
  }

  /** Takes jobs that are due for `claimMs`; should this instance die they are due again. */
  async takeDue(atMost: number, claimMs: number): Promise<DueJob[]> {
    const rows = await this.#db.query<DueRow>(this.#statements.relayClaim, [atMost, claimMs]);
    return rows.map((row) => ({ ...owedOf(row), jobId: row.job_id, contractVersion: row.job_contract_version, payload: row.job_payload, digest: row.job_digest }));
  }

  /** Gives back what could not be sent. */
  async release(jobs: readonly Owed[]): Promise<void> {
    await this.#db.query(this.#statements.relayRelease, columnsOf(jobs));
  }

  /** Marks what the coordinator has. Returns those that were not marked: they are owed no more. */
  async mark<T extends { readonly job: Owed; readonly enqueueId: bigint }>(taken: readonly T[]): Promise<T[]> {
    if (taken.length === 0) return [];
    const params = [...columnsOf(taken.map(({ job }) => job)), taken.map(({ enqueueId }) => enqueueId)];
    // In a transaction for its repeat on a deadlock: single-row statements of others lock in no order.
    const rows = await this.#db.transaction((tx) => tx.query<OwedRow>(this.#statements.relayMark, params));
    const marked = new Set(rows.map((row) => keyOf(row)));
    return taken.filter(({ job }) => !marked.has(keyOf(job)));
  }

  /** Puts off a job that was refused. */
  async defer({ namespace, id, generation }: Owed, delayMs: number, refusal: string): Promise<void> {
    await this.#db.query(this.#statements.relayDefer, [namespace, id, generation, delayMs, refusal]);
  }

  /** Stores the job in another contract version than the one that was found closed. */
  async reencode(job: DueJob, to: { version: number; payload: Buffer; delayMs: number; refusal: string | null }): Promise<void> {
    await this.#db.query(this.#statements.relayReencode, [job.namespace, job.id, job.generation, job.contractVersion, to.version, to.payload, to.delayMs, to.refusal]);
  }

  /** Makes due again what was last relayed longer ago than `afterMs` and still has no outcome. */
  async heal(afterMs: number, atMost: number): Promise<{ namespace: string; id: string }[]> {
    return this.#db.query<{ namespace: string; id: string }>(this.#statements.heal, [afterMs, atMost]);
  }

  /** Takes jobs that are to be cancelled, as takeDue does. */
  async takeCancels(atMost: number, claimMs: number): Promise<DueCancel[]> {
    const rows = await this.#db.query<CancelRow>(this.#statements.cancelClaim, [atMost, claimMs]);
    return rows.map((row) => ({ ...owedOf(row), jobId: row.job_id, enqueueId: row.enqueue_id ?? 0n }));
  }

  /** The coordinator grants this job no more. */
  async cancelConfirmed({ namespace, id, generation }: Owed): Promise<void> {
    await this.#db.query(this.#statements.cancelConfirmed, [namespace, id, generation, ...this.#cancelConfirmedParams]);
  }

  async releaseCancels(jobs: readonly Owed[]): Promise<void> {
    await this.#db.query(this.#statements.cancelRelease, [jobs.map((job) => job.namespace), jobs.map((job) => job.id)]);
  }

  /** How many jobs of a namespace wait for their outcome, counted up to a limit. */
  async countQueued(namespace: string, limit: number): Promise<number> {
    const [row] = await this.#db.query<{ queued: number }>(this.#statements.countQueued, [namespace, limit]);
    return row?.queued ?? 0;
  }

  /** How long the oldest relay and the oldest cancel have been waiting, in seconds by the database's clock; 0 when none does. */
  async lag(): Promise<{ relay: number; cancel: number }> {
    const [row] = await this.#db.query<{ relay: number | null; cancel: number | null }>(this.#statements.lag, []);
    return { relay: row?.relay ?? 0, cancel: row?.cancel ?? 0 };
  }
}

const owedOf = ({ namespace, id, generation }: OwedRow): Owed => ({ namespace, id, generation });
const keyOf = ({ namespace, id }: { namespace: string; id: string }): string => `${namespace}/${id}`;
const columnsOf = (jobs: readonly Owed[]): unknown[] => [jobs.map((job) => job.namespace), jobs.map((job) => job.id), jobs.map((job) => job.generation)];

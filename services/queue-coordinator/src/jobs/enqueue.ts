import { sql, type Database, type Transaction } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { Batcher } from '../batcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';
import { findJobs } from './find.js';
import type { Job } from './job.js';
import { renderJobName, type JobName } from './job-name.js';

const lockSharedSql = sql(import.meta.url, 'lock-contracts');
const contractStatesSql = sql(import.meta.url, 'contract-states');
const insertSql = sql(import.meta.url, 'insert');
const undoEnqueueSql = sql(import.meta.url, 'undo-enqueue');

export interface JobSpec {
  readonly name: JobName;
  readonly contractVersion: number;
  readonly payload: Uint8Array;
  readonly contentDigest: Uint8Array;
  readonly priority: number;
  readonly delayMs: number;
}

export type EnqueueResult =
  | { readonly verdict: 'enqueued' | 'exists' | 'conflict'; readonly job: Job }
  | { readonly verdict: 'contract_closed'; readonly message: string };

// An id can be taken and finished again between two statements only as often as somebody does so on purpose.
const rounds = 5;

/** Enqueues jobs idempotently by their name and content digest. */
export class Enqueuer {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #dispatchers: Dispatchers;
  readonly #figures: QueueFigures;
  readonly #logger: Logger;
  readonly #batcher: Batcher<JobSpec, EnqueueResult>;

  constructor(db: Database, signals: Signals, dispatchers: Dispatchers, figures: QueueFigures, logger: Logger) {
    this.#db = db;
    this.#signals = signals;
    this.#dispatchers = dispatchers;
    this.#figures = figures;
    this.#logger = logger;
    this.#batcher = new Batcher({ run: (specs) => this.#enqueueAll(specs), maxSize: 500 });
  }

  /** One result per spec, in order. Of two specs of one name the first counts. */
  async enqueue(specs: readonly JobSpec[]): Promise<EnqueueResult[]> {
    return Promise.all(specs.map((spec) => this.#batcher.submit(spec)));
  }

  async #enqueueAll(specs: readonly JobSpec[]): Promise<EnqueueResult[]> {
    const results = new Map<JobSpec, EnqueueResult>();
    for (let round = 1; results.size < specs.length; round++) {
      if (round > rounds) throw new Error(`a job id changed hands ${rounds} times while it was enqueued`);
      const open = specs.filter((spec) => !results.has(spec));
      const first = firstPerName(open);
      const answered = await this.#db.transaction((tx) => this.#round(tx, [...first.values()]));
      for (const spec of open) {
        const result = repeatOf(spec, first.get(renderJobName(spec.name)), answered);
        if (result !== undefined) results.set(spec, result);
      }
    }
    this.#announce(results);
    return specs.map((spec) => {
      const result = results.get(spec);
      if (result === undefined) throw new Error('a spec was left without a result');
      return result;
    });
  }

  /** Settles as many specs as can be settled with what is visible now; the others are looked at again in the next round. */
  async #round(tx: Transaction, specs: readonly JobSpec[]): Promise<Map<JobSpec, EnqueueResult>> {
    const results = new Map<JobSpec, EnqueueResult>();
    // An id is looked up before the gate: a repeat must find its job also when the contract was closed meanwhile.
    const known = await findJobs(tx, specs.map((spec) => spec.name));
    for (const spec of specs) {
      const job = known.get(renderJobName(spec.name));
      if (job !== undefined) results.set(spec, { verdict: sameContent(job, spec) ? 'exists' : 'conflict', job });
    }
    const fresh = await this.#passGate(tx, specs.filter((spec) => !results.has(spec)), results);
    if (fresh.length === 0) return results;

    const inserted = await this.#insert(tx, fresh);
    const takenBack = new Set((await tx.query<{ enqueue_id: bigint }>(undoEnqueueSql, [[...inserted.values()]])).map((row) => row.enqueue_id));
    const stood = [...inserted].filter(([, enqueueId]) => !takenBack.has(enqueueId)).map(([spec]) => spec);
    const jobs = await findJobs(tx, stood.map((spec) => spec.name));
    for (const spec of stood) {
      const job = jobs.get(renderJobName(spec.name));
      if (job !== undefined) results.set(spec, { verdict: 'enqueued', job });
    }
    return results;
  }

  /** Holds the contracts' states still, then reads them in a later statement: the same one would see them as before the wait. */
  async #passGate(tx: Transaction, specs: readonly JobSpec[], results: Map<JobSpec, EnqueueResult>): Promise<JobSpec[]> {
    if (specs.length === 0) return [];
    const contracts = [specs.map((spec) => spec.name.kind), specs.map((spec) => spec.contractVersion)];
    await tx.query(lockSharedSql, contracts);
    const rows = await tx.query<{ kind: string; version: number; state: string }>(contractStatesSql, contracts);
    const states = new Map(rows.map((row) => [`${row.kind}@${row.version}`, row.state]));
    return specs.filter((spec) => {
      const contract = `${spec.name.kind}@${spec.contractVersion}`;
      const state = states.get(contract);
      if (state === 'open') return true;
      results.set(spec, { verdict: 'contract_closed', message: state === undefined ? `${contract} is not known: announce and open it first` : `${contract} is ${state}: produce an open version` });
      return false;
    });
  }

  async #insert(tx: Transaction, specs: readonly JobSpec[]): Promise<Map<JobSpec, bigint>> {
    const positions = new Map(specs.map((spec, position) => [spec, position]));
    const ordered = specs.toSorted((a, b) => compare(renderJobName(a.name), renderJobName(b.name)));
    const rows = await tx.query<{ place: bigint; enqueue_id: bigint }>(insertSql, [
      ordered.map((s) => s.name.namespace), ordered.map((s) => s.name.kind), ordered.map((s) => s.name.jobId), ordered.map((s) => s.contractVersion),
      ordered.map((s) => s.priority), ordered.map((s) => s.payload), ordered.map((s) => s.contentDigest), ordered.map((s) => s.delayMs),
      ordered.map((s) => positions.get(s) ?? 0),
    ]);
    const inserted = new Map<JobSpec, bigint>();
    for (const row of rows) {
      const spec = ordered[Number(row.place) - 1];
      if (spec !== undefined) inserted.set(spec, row.enqueue_id);
    }
    return inserted;
  }

  #announce(results: ReadonlyMap<JobSpec, EnqueueResult>): void {
    const kinds = new Set<string>();
    for (const [spec, result] of results) {
      if (result.verdict !== 'enqueued') continue;
      kinds.add(spec.name.kind);
      this.#figures.jobEnqueued(spec.name.kind, spec.contractVersion);
      this.#logger.debug(
        { event: 'job_enqueued', kind: spec.name.kind, version: spec.contractVersion, namespace: spec.name.namespace, job_id: spec.name.jobId, enqueue_id: result.job.enqueueId.toString() },
        'a job was enqueued',
      );
    }
    this.#dispatchers.enqueued(kinds);
    if (kinds.size > 0) this.#signals.send('change', ...[...kinds].map((kind) => `due ${kind}` as const));
  }
}

const sameContent = (job: Job, spec: JobSpec): boolean =>
  // A tombstone has no content: the enqueue that it was left for is told that it was cancelled, whatever it carried.
  job.contractVersion === 0 || (Buffer.compare(job.contentDigest, spec.contentDigest) === 0);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const firstPerName = (specs: readonly JobSpec[]): Map<string, JobSpec> => {
  const byName = new Map<string, JobSpec>();
  for (const spec of specs) {
    const name = renderJobName(spec.name);
    if (!byName.has(name)) byName.set(name, spec);
  }
  return byName;
};

/** What a spec is answered when the first of its name in the batch was answered: as if it had come just after it. */
function repeatOf(spec: JobSpec, first: JobSpec | undefined, answered: ReadonlyMap<JobSpec, EnqueueResult>): EnqueueResult | undefined {
  const result = first === undefined ? undefined : answered.get(first);
  if (result === undefined || spec === first) return result;
  if (result.verdict !== 'contract_closed') return { verdict: sameContent(result.job, spec) ? 'exists' : 'conflict', job: result.job };
  return spec.contractVersion === first?.contractVersion ? result : undefined;
}

import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { digestOf, type ImageContract, type ImageContracts } from '../contract/image-contracts.js';
import type { Coordinator, EnqueueAnswer } from '../coordinator/coordinator.js';
import type { Metrics } from '../figures/metrics.js';
import { imageJobOf } from '../files/image-job.js';
import type { FileRecords } from '../files/records.js';
import { jobName } from '../files/resource-name.js';
import type { OutcomeApplier } from '../outcomes/apply.js';

const statements = {
  claim: sql(import.meta.url, 'claim'),
  mark: sql(import.meta.url, 'mark'),
  release: sql(import.meta.url, 'release'),
  defer: sql(import.meta.url, 'defer'),
  reencode: sql(import.meta.url, 'reencode'),
};

export interface RelayParts {
  readonly db: Database;
  readonly records: FileRecords;
  readonly coordinator: Coordinator;
  readonly contracts: ImageContracts;
  readonly applier: OutcomeApplier;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** How long a batch is taken from other instances: longer than a call's deadline, in ms. */
  readonly claimMs: number;
  /** How long a refused job waits before it is sent again, in ms. */
  readonly refusedMs: number;
}

interface DueJob {
  namespace: string;
  file_id: string;
  generation: number;
  job_id: string;
  job_contract_version: number;
  job_payload: Buffer;
  job_digest: Buffer;
}

const atMost = 100;
const nameOf = (job: DueJob): string => jobName(job.namespace, job.job_id);

/** Hands queued cards to the coordinator: stored bytes, resent as they are until the coordinator has said that it has the job. */
export class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Sends one batch. Returns how many jobs it took; fails when the coordinator could not be reached, with everything due again. */
  async run(signal: AbortSignal): Promise<number> {
    const { db, coordinator, claimMs } = this.#parts;
    const due = await db.query<DueJob>(statements.claim, [atMost, claimMs]);
    if (due.length === 0) return 0;
    const answers = await this.#send(due, signal);
    const taken: { job: DueJob; enqueueId: bigint }[] = [];
    for (const [i, job] of due.entries()) {
      const answer = answers[i];
      if (answer === undefined) continue;
      this.#parts.metrics.relayed.inc({ verdict: answer.verdict });
      if (answer.verdict === 'enqueued' || answer.verdict === 'exists') taken.push({ job, enqueueId: answer.enqueueId });
      else await this.#refused(job, answer);
    }
    const lost = await this.#mark(taken);
    // A job that had ended already, and whose outcome was acknowledged before a restore of `records` forgot it: nobody will hand it out again.
    for (const answer of answers) if (answer.outcome !== undefined) await this.#parts.applier.apply(answer.outcome);
    // Should this fail, the cancel duty has the same job: the deletion made it due there.
    for (const { job, enqueueId } of lost) await coordinator.cancel(nameOf(job), enqueueId, signal);
    return due.length;
  }

  async #send(due: readonly DueJob[], signal: AbortSignal): Promise<EnqueueAnswer[]> {
    const jobs = due.map((job) => ({ name: nameOf(job), contractVersion: job.job_contract_version, payload: job.job_payload, digest: job.job_digest }));
    try {
      return await this.#parts.coordinator.enqueue(jobs, signal);
    } catch (error) {
      await this.#parts.db.query(statements.release, [due.map((j) => j.namespace), due.map((j) => j.file_id), due.map((j) => j.generation)]);
      throw error;
    }
  }

  /** Returns those whose card was deleted meanwhile: the right is gone, so the enqueue that was just made must go too. */
  async #mark(taken: readonly { job: DueJob; enqueueId: bigint }[]): Promise<{ job: DueJob; enqueueId: bigint }[]> {
    if (taken.length === 0) return [];
    const params = [taken.map(({ job }) => job.namespace), taken.map(({ job }) => job.file_id), taken.map(({ job }) => job.generation), taken.map(({ enqueueId }) => enqueueId)];
    // In a transaction for its repeat on a deadlock: single-row statements of others lock in no order.
    const rows = await this.#parts.db.transaction((tx) => tx.query<{ namespace: string; file_id: string }>(statements.mark, params));
    const marked = new Set(rows.map((row) => `${row.namespace}/${row.file_id}`));
    for (const { job, enqueueId } of taken) this.#parts.logger.info({ event: 'file_relayed', job: nameOf(job), enqueue_id: enqueueId }, 'the coordinator has the job');
    return taken.filter(({ job }) => !marked.has(`${job.namespace}/${job.file_id}`));
  }

  async #refused(job: DueJob, answer: EnqueueAnswer): Promise<void> {
    const { db, logger, contracts, refusedMs } = this.#parts;
    const about = { job: nameOf(job), verdict: answer.verdict, contract_version: job.job_contract_version };
    const refusal = `${answer.verdict}: ${answer.message}`.slice(0, 1000);
    const other = answer.verdict === 'contract_closed' ? contracts.after(job.job_contract_version) : undefined;
    if (other !== undefined && other !== contracts.preferred) {
      logger.warn({ event: 'contract_closed', ...about, next_version: other.version }, 'nothing was committed: encoded anew by another version');
      return this.#reencode(job, other, { delayMs: 0, refusal: null });
    }
    logger.error({ event: 'relay_refused', ...about, why: answer.message }, 'the job waits until an operator mends this');
    // All the way round: every version that this build writes is closed.
    if (other !== undefined) return this.#reencode(job, other, { delayMs: refusedMs, refusal });
    await db.query(statements.defer, [job.namespace, job.file_id, job.generation, refusedMs, refusal]);
  }

  async #reencode(job: DueJob, contract: ImageContract, wait: { delayMs: number; refusal: string | null }): Promise<void> {
    const card = await this.#parts.records.find({ namespace: job.namespace, fileId: job.file_id });
    const logical = card && imageJobOf(card);
    if (logical === undefined) return;
    // The same job to the coordinator, should one of the old version turn out to be there after all.
    if (!digestOf(logical).equals(job.job_digest)) throw new Error(`${nameOf(job)}: the stored digest is not that of the card`);
    const params = [job.namespace, job.file_id, job.generation, job.job_contract_version, contract.version, contract.encode(logical), wait.delayMs, wait.refusal];
    await this.#parts.db.query(statements.reencode, params);
  }
}

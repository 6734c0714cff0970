import type { Logger } from '@leasehold/service';
import type { Coordinator, EnqueueAnswer } from '../coordinator/coordinator.js';
import type { JobMetrics } from '../jobs/job-metrics.js';
import { jobName } from '../jobs/job-name.js';
import type { JobWriter, Rewritten } from '../jobs/job-writer.js';
import type { DueJob, OwedJobs } from '../jobs/owed-jobs.js';
import type { OutcomeApplier } from '../outcomes/apply.js';

export interface RelayParts {
  readonly jobs: OwedJobs;
  readonly writer: JobWriter;
  readonly coordinator: Coordinator;
  readonly applier: OutcomeApplier;
  readonly metrics: JobMetrics;
  readonly logger: Logger;
  /** How long a batch is taken from other instances: longer than a call's deadline, in ms. */
  readonly claimMs: number;
  /** How long a refused job waits before it is sent again, in ms. */
  readonly refusedMs: number;
}

const atMost = 100;

/** Hands jobs to the coordinator: stored bytes, resent as they are until the coordinator has said that it has the job. */
export class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Sends one batch. Returns how many jobs it took; fails when the coordinator could not be reached, with everything due again. */
  async run(signal: AbortSignal): Promise<number> {
    const { jobs, coordinator, claimMs } = this.#parts;
    const due = await jobs.takeDue(atMost, claimMs);
    if (due.length === 0) return 0;
    const answers = await this.#send(due, signal);
    const taken: { job: DueJob; enqueueId: bigint }[] = [];
    for (const [i, job] of due.entries()) {
      const answer = answers[i];
      if (answer === undefined) continue;
      this.#parts.metrics.relayed.inc({ verdict: answer.verdict });
      if (answer.verdict === 'enqueued' || answer.verdict === 'exists') taken.push({ job, enqueueId: answer.enqueueId });
      else await this.#refused(job, answer, signal);
    }
    const lost = await jobs.mark(taken);
    for (const { job, enqueueId } of taken) this.#parts.logger.info({ event: `${jobs.noun}_relayed`, job: this.#nameOf(job), enqueue_id: enqueueId }, 'the coordinator has the job');
    // A job that had ended already, and whose outcome was acknowledged before a restore of `records` forgot it: nobody will hand it out again.
    for (const answer of answers) if (answer.outcome !== undefined) await this.#parts.applier.apply(answer.outcome);
    // Nobody wants these any more: deleted or cancelled while they were under way. Should this fail, the cancel duty has the same job.
    for (const { job, enqueueId } of lost) await coordinator.cancel(this.#nameOf(job), enqueueId, signal);
    return due.length;
  }

  async #send(due: readonly DueJob[], signal: AbortSignal): Promise<EnqueueAnswer[]> {
    try {
      return await this.#parts.coordinator.enqueue(due.map((job) => ({ ...job, name: this.#nameOf(job) })), signal);
    } catch (error) {
      await this.#parts.jobs.release(due);
      throw error;
    }
  }

  async #refused(job: DueJob, answer: EnqueueAnswer, signal: AbortSignal): Promise<void> {
    const { jobs, logger, writer, refusedMs } = this.#parts;
    const about = { job: this.#nameOf(job), verdict: answer.verdict, contract_version: job.contractVersion };
    const refusal = `${answer.verdict}: ${answer.message}`.slice(0, 1000);
    const other = answer.verdict === 'contract_closed' ? await writer.rewrite(job, signal) : 'nowhere';
    if (other === 'gone') return;
    if (other !== 'nowhere' && other.isOpen) {
      logger.warn({ event: 'contract_closed', ...about, next_version: other.version }, 'nothing was committed: encoded anew by another version');
      return this.#reencode(job, other, { delayMs: 0, refusal: null });
    }
    logger.error({ event: 'relay_refused', ...about, why: answer.message }, 'the job waits until an operator mends this');
    // All the way round: every version that can say it is closed.
    if (other !== 'nowhere') return this.#reencode(job, other, { delayMs: refusedMs, refusal });
    await jobs.defer(job, refusedMs, refusal);
  }

  async #reencode(job: DueJob, written: Rewritten, wait: { delayMs: number; refusal: string | null }): Promise<void> {
    // The same job to the coordinator, should one of the old version turn out to be there after all.
    if (!written.digest.equals(job.digest)) throw new Error(`${this.#nameOf(job)}: the stored digest is not that of the resource`);
    await this.#parts.jobs.reencode(job, { version: written.version, payload: written.payload, ...wait });
  }

  #nameOf(job: DueJob): string {
    return jobName(this.#parts.jobs.kind, job.namespace, job.jobId);
  }
}

import { isDataError } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { UnreadableResult } from '../jobs/contracts.js';
import type { JobMetrics, OutcomeFate } from '../jobs/job-metrics.js';
import type { Outcome } from '../jobs/outcome.js';

/** Where the outcomes of one kind become official. */
export interface OutcomeTarget {
  /**
   * Makes the outcome official if it still has the right to be; the name of no job of ours is unknown.
   * @throws UnreadableResult, or the database's error for data that it refuses: nothing was changed.
   */
  settle(outcome: Outcome): Promise<Settled>;
  /** What an outcome that cannot be read would have come to: `counts` when it would still change its resource. */
  standing(outcome: Outcome): Promise<'counts' | 'stale' | 'unknown'>;
}

export type Settled =
  | { readonly fate: 'stale' | 'unknown' }
  /** `queuedMs`: from when it was queued to the outcome; `reason` of a rejection, by the public list. */
  | { readonly fate: 'applied'; readonly state: string; readonly reason?: string | undefined; readonly queuedMs?: number | undefined };

export interface ApplyParts {
  readonly target: OutcomeTarget;
  readonly metrics: JobMetrics;
  readonly logger: Logger;
}

/** Makes outcomes official and says what became of them. Any order, any number of times. */
export class OutcomeApplier {
  readonly #parts: ApplyParts;

  constructor(parts: ApplyParts) {
    this.#parts = parts;
  }

  async apply(outcome: Outcome): Promise<OutcomeFate> {
    const fate = await this.#fateOf(outcome);
    this.#parts.metrics.outcomes.inc({ fate });
    if (fate !== 'applied') this.#parts.logger.info({ event: `outcome_${fate}`, job: outcome.name, fence: outcome.fence, cause: outcome.cause }, 'the resource was left as it is');
    return fate;
  }

  async #fateOf(outcome: Outcome): Promise<OutcomeFate> {
    try {
      const settled = await this.#parts.target.settle(outcome);
      if (settled.fate === 'applied') this.#applied(outcome, settled);
      return settled.fate;
    } catch (error) {
      if (!(error instanceof UnreadableResult) && !isDataError(error)) throw error;
      return this.#unreadable(outcome, error instanceof Error ? error.message : String(error));
    }
  }

  /** It matters only while the outcome would still count: else nobody needs to read it any more. */
  async #unreadable(outcome: Outcome, why: string): Promise<OutcomeFate> {
    const standing = await this.#parts.target.standing(outcome);
    if (standing !== 'counts') return standing;
    this.#parts.logger.error({ event: 'result_unreadable', job: outcome.name, fence: outcome.fence, contract_version: outcome.contractVersion, why }, 'not acknowledged: another version of ingest may read it');
    return 'unreadable';
  }

  #applied(outcome: Outcome, { state, reason, queuedMs }: Settled & { fate: 'applied' }): void {
    const { metrics, logger } = this.#parts;
    if (queuedMs !== undefined) metrics.finalSeconds.observe({ state }, queuedMs / 1000);
    if (reason !== undefined) metrics.rejected.inc({ reason });
    logger.info({ event: 'outcome_applied', job: outcome.name, fence: outcome.fence, state, reason }, 'the resource has its outcome');
  }
}

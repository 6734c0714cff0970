import { isDataError, sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { UnreadableResult, type ImageContracts } from '../contract/image-contracts.js';
import type { Metrics, OutcomeFate } from '../figures/metrics.js';
import { cardOf, type Card, type FileRow } from '../files/card.js';
import type { Changes } from '../files/changes.js';
import type { FileRecords } from '../files/records.js';
import { parseJobName, type FileId } from '../files/resource-name.js';
import type { Outcome } from './outcome.js';
import { verdictOf, type Verdict } from './verdict.js';

const statement = sql(import.meta.url, 'apply');

export interface ApplyParts {
  readonly db: Database;
  readonly records: FileRecords;
  readonly contracts: ImageContracts;
  readonly changes: Changes;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** After this long nothing that an attempt of the past wrote can still appear or be read, in ms. */
  readonly writeWindowMs: number;
}

/** Makes outcomes official, one conditional statement each, and says what became of them. Any order, any number of times. */
export class OutcomeApplier {
  readonly #parts: ApplyParts;

  constructor(parts: ApplyParts) {
    this.#parts = parts;
  }

  async apply(outcome: Outcome): Promise<OutcomeFate> {
    const fate = await this.#fateOf(outcome);
    this.#parts.metrics.outcomes.inc({ fate });
    if (fate !== 'applied') this.#parts.logger.info({ event: `outcome_${fate}`, job: outcome.name, fence: outcome.fence, cause: outcome.cause }, 'the card was left as it is');
    return fate;
  }

  async #fateOf(outcome: Outcome): Promise<OutcomeFate> {
    const id = parseJobName(outcome.name);
    if (id === undefined) return 'unknown';
    try {
      const verdict = verdictOf(outcome, id, this.#parts.contracts);
      const [row] = await this.#parts.db.query<FileRow>(statement, [id.namespace, id.fileId, id.generation, outcome.fence, ...columnsOf(verdict), this.#parts.writeWindowMs]);
      if (row === undefined) return (await this.#parts.records.find(id)) === undefined ? 'unknown' : 'stale';
      this.#applied(cardOf(row), outcome, verdict);
      return 'applied';
    } catch (error) {
      if (!(error instanceof UnreadableResult) && !isDataError(error)) throw error;
      return this.#unreadable(id, outcome, error instanceof Error ? error.message : String(error));
    }
  }

  /** It matters only while the outcome would still count: else nobody needs to read it any more. */
  async #unreadable(id: FileId & { generation: number }, outcome: Outcome, why: string): Promise<OutcomeFate> {
    const card = await this.#parts.records.find(id);
    if (card === undefined) return 'unknown';
    const counts = card.generation === id.generation && outcome.fence > card.outcomeFence && card.state !== 'deleting' && card.state !== 'deleted';
    if (!counts) return 'stale';
    this.#parts.logger.error({ event: 'result_unreadable', job: outcome.name, fence: outcome.fence, contract_version: outcome.contractVersion, why }, 'not acknowledged: another version of ingest may read it');
    return 'unreadable';
  }

  #applied(card: Card, outcome: Outcome, verdict: Verdict): void {
    const { changes, metrics, logger } = this.#parts;
    changes.announce(card);
    if (card.outcomeTime !== null && card.queueTime !== null) metrics.finalSeconds.observe({ state: verdict.state }, (card.outcomeTime.getTime() - card.queueTime.getTime()) / 1000);
    if (verdict.cause === 'failed') metrics.rejected.inc({ reason: verdict.rejection });
    logger.info({ event: 'outcome_applied', job: outcome.name, fence: outcome.fence, state: verdict.state, reason: verdict.cause === 'failed' ? verdict.rejection : undefined }, 'the card has its outcome');
  }
}

/** state, rejection reason, and the rendition's nine columns. */
function columnsOf(verdict: Verdict): unknown[] {
  const r = verdict.cause === 'succeeded' ? verdict.rendition : undefined;
  const rejection = verdict.cause === 'failed' ? verdict.rejection : null;
  const rendition = r === undefined ? Array<null>(9).fill(null) : [r.key, r.versionId, r.contentType, r.sizeBytes, r.sha256, r.width, r.height, r.sourceWidth, r.sourceHeight];
  return [verdict.state, rejection, ...rendition];
}

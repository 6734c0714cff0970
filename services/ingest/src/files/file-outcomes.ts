import { sql, type Database } from '@leasehold/postgres';
import type { ImageChoice } from '../contract/image-contracts.js';
import type { Outcome } from '../jobs/outcome.js';
import type { OutcomeTarget, Settled } from '../outcomes/apply.js';
import { cardOf, type Card, type FileRow, type Made } from './card.js';
import type { Changes } from '../watch/changes.js';
import type { FileRecords } from './records.js';
import { fileName, parseJobName } from './resource-name.js';
import { madeColumn } from './stored-pictures.js';
import { verdictOf, type Verdict } from './verdict.js';

const statement = sql(import.meta.url, 'apply-outcome');

export interface FileOutcomeParts {
  readonly db: Database;
  readonly records: FileRecords;
  readonly contracts: ImageChoice;
  readonly changes: Changes;
  /** After this long nothing that an attempt of the past wrote can still appear or be read, in ms. */
  readonly writeWindowMs: number;
}

/** Outcomes of photos' jobs: one conditional statement each. */
export class FileOutcomes implements OutcomeTarget {
  readonly #parts: FileOutcomeParts;

  constructor(parts: FileOutcomeParts) {
    this.#parts = parts;
  }

  async settle(outcome: Outcome): Promise<Settled> {
    const { db, records, contracts, changes, writeWindowMs } = this.#parts;
    const id = parseJobName(outcome.name);
    if (id === undefined) return { fate: 'unknown' };
    const verdict = verdictOf(outcome, id, contracts);
    const [row] = await db.query<FileRow>(statement, [id.namespace, id.fileId, id.generation, outcome.fence, ...columnsOf(verdict), writeWindowMs]);
    if (row === undefined) return { fate: (await records.find(id)) === undefined ? 'unknown' : 'stale' };
    const card = cardOf(row);
    changes.announce(fileName(card));
    return { fate: 'applied', state: verdict.state, reason: verdict.cause === 'failed' ? verdict.rejection : undefined, queuedMs: queuedMsOf(card) };
  }

  async standing(outcome: Outcome): Promise<'counts' | 'stale' | 'unknown'> {
    const id = parseJobName(outcome.name);
    const card = id && (await this.#parts.records.find(id));
    if (card === undefined) return 'unknown';
    const counts = card.generation === id?.generation && outcome.fence > card.outcomeFence && card.state !== 'deleting' && card.state !== 'deleted';
    return counts ? 'counts' : 'stale';
  }
}

const queuedMsOf = ({ outcomeTime, queueTime }: Card): number | undefined => (outcomeTime === null || queueTime === null ? undefined : outcomeTime.getTime() - queueTime.getTime());

/** state, rejection reason, the first rendition's nine columns, and all that was made where those do not say it. */
function columnsOf(verdict: Verdict): unknown[] {
  const made = verdict.cause === 'succeeded' ? verdict.made : undefined;
  const rejection = verdict.cause === 'failed' ? verdict.rejection : null;
  return [verdict.state, rejection, ...(made === undefined ? Array<null>(10).fill(null) : madeColumns(made))];
}

function madeColumns(made: Made): unknown[] {
  const [r] = made.renditions;
  return [r.key, r.versionId, r.contentType, r.sizeBytes, r.sha256, r.width, r.height, made.sourceWidth, made.sourceHeight, madeColumn(made)];
}

import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { Batcher } from '../batcher.js';
import type { AttemptEnd } from '../contracts/build-records.js';
import type { Move } from '../dispatch/dispatcher.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';
import { fence, type Fence } from './fence.js';
import { settlementDigest, type Settlement } from './rules.js';

const settleSql = sql(import.meta.url, 'settle');
const settledBeforeSql = sql(import.meta.url, 'settled-before');
const leaseLostSql = sql(import.meta.url, 'lease-lost');
const suspendBuildsSql = sql(import.meta.url, 'suspend-builds');

export type SettlementResult =
  | { readonly verdict: 'settled' }
  | { readonly verdict: 'lost'; readonly currentFence: Fence }
  | { readonly verdict: 'not_found' };

interface Asked {
  readonly workerId: string;
  readonly settlement: Settlement;
  readonly digest: Buffer;
}

interface SettledRow {
  readonly place: bigint;
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly enqueue_id: bigint;
  readonly contract_version: number;
  readonly fence: bigint;
  readonly verb: string;
  readonly next_state: 'succeeded' | 'failed' | 'queued';
  readonly final_reason: string;
  readonly said: string;
  readonly attempts: number;
  readonly build: string;
  readonly unreadable: boolean;
  readonly delay_ms: number;
  readonly age_ms: number;
  readonly run_ms: number;
}

interface BeforeRow {
  readonly place: bigint;
  readonly verdict: 'settled' | 'lost' | 'unknown';
  readonly current_fence: bigint;
  readonly namespace: string;
  readonly kind: string;
  readonly job_id: string;
  readonly contract_version: number;
}

/** Ends leases. A refusal is an answer, is recorded, and never touches the companions of its batch. */
export class Settler {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #dispatchers: Dispatchers;
  readonly #figures: QueueFigures;
  readonly #logger: Logger;
  readonly #batcher: Batcher<Asked, SettlementResult>;

  constructor(db: Database, signals: Signals, dispatchers: Dispatchers, figures: QueueFigures, logger: Logger) {
    this.#db = db;
    this.#signals = signals;
    this.#dispatchers = dispatchers;
    this.#figures = figures;
    this.#logger = logger;
    this.#batcher = new Batcher({ run: (asked) => this.#settleAll(asked) });
  }

  /** One result per settlement, in order. Of two for one lease the first counts. */
  async settle(workerId: string, settlements: readonly Settlement[]): Promise<SettlementResult[]> {
    return Promise.all(settlements.map((settlement) => this.#batcher.submit({ workerId, settlement, digest: settlementDigest(settlement.said) })));
  }

  async #settleAll(asked: readonly Asked[]): Promise<SettlementResult[]> {
    const said = asked.map((a) => a.settlement.said);
    const rows = await this.#db.query<SettledRow>(settleSql, [
      asked.map((a) => a.settlement.enqueueId),
      asked.map((a) => a.settlement.leaseToken),
      said.map((s) => s.verb),
      said.map((s) => s.verb === 'fail' && s.contentFault),
      said.map((s) => (s.verb === 'fail' ? s.reason : '')),
      said.map((s) => (s.verb === 'complete' ? s.result : new Uint8Array())),
      asked.map((a) => a.digest),
      said.map((s) => s.verb === 'release' && s.unreadable),
    ]);
    const results: (SettlementResult | undefined)[] = asked.map(() => undefined);
    for (const row of rows) results[Number(row.place) - 1] = { verdict: 'settled' };
    this.#announce(rows, asked);
    const refused = asked.flatMap((a, index) => (results[index] === undefined ? [{ ...a, index }] : []));
    if (refused.length > 0) await this.#judgeRefused(refused, results);
    await this.#suspendBuilds(rows.filter((row) => row.unreadable));
    return results.map((result) => result ?? { verdict: 'not_found' });
  }

  #announce(rows: readonly SettledRow[], asked: readonly Asked[]): void {
    for (const row of rows) {
      const end = attemptEndOf(row);
      if (end !== undefined) this.#figures.attemptOfBuild(row.kind, row.contract_version, row.build, end);
      if (row.next_state === 'queued') this.#figures.attemptEnded(row.kind, row.contract_version, row.verb === 'fail' ? row.said : 'RELEASED');
      else this.#figures.jobFinished(row.kind, row.contract_version, row.next_state, row.final_reason, row.age_ms);
      // Success is the common case, thousands of times a second: its figures are enough.
      this.#logger[row.verb === 'complete' ? 'debug' : 'info'](
        {
          event: 'lease_settled', verb: row.verb, state: row.next_state, reason: row.final_reason || row.said, kind: row.kind, version: row.contract_version, namespace: row.namespace,
          job_id: row.job_id, enqueue_id: row.enqueue_id.toString(), fence: row.fence.toString(), attempt: row.attempts, run_ms: Math.round(row.run_ms),
        },
        'a holder settled its lease',
      );
    }
    if (rows.length === 0) return;
    this.#dispatchers.moved(rows.map((row): Move => ({
      kind: row.kind, contractVersion: row.contract_version, enqueueId: row.enqueue_id, token: asked[Number(row.place) - 1]?.settlement.leaseToken,
      to: row.next_state === 'queued' ? { state: 'queued', delayMs: row.delay_ms } : { state: row.next_state, reason: row.final_reason },
    })));
    this.#signals.send('change', ...rows.map((row) => (row.next_state === 'queued' ? (`due ${row.kind}` as const) : (`outcome ${row.kind}` as const))));
  }

  async #judgeRefused(refused: readonly (Asked & { index: number })[], results: (SettlementResult | undefined)[]): Promise<void> {
    const rows = await this.#db.query<BeforeRow>(settledBeforeSql, [
      refused.map((r) => r.settlement.enqueueId), refused.map((r) => r.settlement.leaseToken), refused.map((r) => r.digest),
    ]);
    const lost: (BeforeRow & { asked: Asked })[] = [];
    for (const row of rows) {
      const asked = refused[Number(row.place) - 1];
      if (asked === undefined) throw new Error(`settled-before answered place ${row.place} of ${refused.length}`);
      if (row.verdict === 'settled') results[asked.index] = { verdict: 'settled' };
      else if (row.verdict === 'lost') {
        results[asked.index] = { verdict: 'lost', currentFence: fence(row.current_fence) };
        lost.push({ ...row, asked });
      } else results[asked.index] = { verdict: 'not_found' };
    }
    if (lost.length > 0) await this.#recordLost(lost);
  }

  /** The event that shows that fencing worked: an old holder spoke and was not believed. */
  async #recordLost(lost: readonly (BeforeRow & { asked: Asked })[]): Promise<void> {
    for (const row of lost) {
      const { settlement, workerId } = row.asked;
      this.#figures.leaseLost(row.kind, row.contract_version, settlement.said.verb);
      this.#logger.warn(
        {
          event: 'lease_lost', verb: settlement.said.verb, kind: row.kind, version: row.contract_version, namespace: row.namespace, job_id: row.job_id,
          enqueue_id: settlement.enqueueId.toString(), fence: settlement.fence.toString(), current_fence: row.current_fence.toString(), worker_id: workerId,
        },
        'a superseded holder was refused',
      );
    }
    await this.#db.query(leaseLostSql, [
      lost.map((r) => r.asked.settlement.enqueueId), lost.map((r) => r.asked.settlement.fence), lost.map((r) => r.current_fence),
      lost.map((r) => r.namespace), lost.map((r) => r.kind), lost.map((r) => r.job_id), lost.map((r) => r.asked.workerId), lost.map((r) => r.asked.settlement.said.verb),
    ]);
  }

  async #suspendBuilds(unreadable: readonly SettledRow[]): Promise<void> {
    if (unreadable.length === 0) return;
    const rows = await this.#db.query<{ kind: string; version: number; build: string }>(suspendBuildsSql, [
      unreadable.map((r) => r.kind), unreadable.map((r) => r.contract_version), unreadable.map((r) => r.build),
    ]);
    for (const row of rows) {
      this.#figures.buildSuspended(row.kind, row.version);
      this.#logger.error({ event: 'build_suspended', ...row }, 'a build declared a contract that it cannot read; it is given no more of it');
    }
  }
}

/** A hand-back says nothing of the build. A failure that ends the job for another reason than spent attempts is the content's. */
const attemptEndOf = (row: SettledRow): AttemptEnd | undefined => {
  if (row.verb === 'complete') return 'succeeded';
  if (row.verb !== 'fail') return undefined;
  return row.next_state === 'failed' && row.final_reason !== 'EXHAUSTED' ? 'failed_content' : 'failed_technical';
};

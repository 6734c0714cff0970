import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import { contractWord, type ContractName } from '../contracts/contract.js';
import { audit } from '../contracts/registry.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { QueueFigures } from '../figures/counters.js';

const discardSql = sql(import.meta.url, 'discard');
const countSql = sql(import.meta.url, 'count-of-contract');

export interface Discard {
  readonly contract: ContractName;
  /** At most 1000. */
  readonly maxJobs: number;
  readonly reason: string;
  readonly actor: string;
  readonly validateOnly: boolean;
}

/** Ends live jobs of a contract at an operator's word: the last resort on a bad day. Bounded per call; the audit log says who, how many and why. */
export async function discardJobs(parts: { db: Database; signals: Signals; dispatchers: Dispatchers; figures: QueueFigures; logger: Logger }, o: Discard): Promise<{ discarded: number; remaining: number }> {
  const { db, signals, dispatchers, figures, logger } = parts;
  const { kind, version } = o.contract;
  const live = async (): Promise<number> => Number((await db.query<{ jobs: bigint }>(countSql, [kind, version]))[0]?.jobs ?? 0n);
  if (o.validateOnly) {
    const jobs = await live();
    return { discarded: Math.min(jobs, o.maxJobs), remaining: Math.max(jobs - o.maxJobs, 0) };
  }
  const rows = await db.transaction(async (tx) => {
    const ended = await tx.query<{ namespace: string; job_id: string; enqueue_id: bigint; fence: bigint; lease_token: Buffer | null; age_ms: number }>(discardSql, [kind, version, o.maxJobs, o.actor, o.reason]);
    if (ended.length > 0) await audit(tx, { actor: o.actor, action: 'jobs_discarded', subjects: [contractWord(o.contract)], detail: `${ended.length} jobs: ${o.reason}` });
    return ended;
  });
  for (const row of rows) figures.jobFinished(kind, version, 'cancelled', 'DISCARDED', row.age_ms);
  if (rows.length > 0) {
    dispatchers.moved(rows.map((row) => ({
      kind, contractVersion: version, enqueueId: row.enqueue_id, token: row.lease_token ?? undefined, to: { state: 'cancelled', reason: 'DISCARDED' },
    })));
    logger.warn({ event: 'jobs_discarded', kind, version, jobs: rows.length, actor: o.actor, reason: o.reason }, 'live jobs were ended at an operator\'s word');
    signals.send('change', `outcome ${kind}`);
  }
  return { discarded: rows.length, remaining: await live() };
}

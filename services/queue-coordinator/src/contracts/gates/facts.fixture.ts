import type { ContractFacts, KindFacts, Left, ProducerFacts, WorkerFacts } from '../facts.js';

export const certainty = { uncertainAfterMs: 45_000 };
export const nothing: Left = { due: 0, scheduled: 0, retrying: 0, leased: 0, undispatched: 0, outcomes: 0, oldestJobMs: undefined, oldestOutcomeMs: undefined };
export const job = (id: string): string => `namespaces/default/kinds/image/jobs/${id}`;

/** A contract of `image`; with something left of it there is a witness for it. */
export const contract = (version: number, o: { state?: ContractFacts['state']; share?: number; paused?: boolean; left?: Partial<Left> } = {}): ContractFacts => {
  const left = { ...nothing, ...o.left };
  const live = left.due + left.scheduled + left.retrying + left.leased + left.undispatched;
  return {
    version, state: o.state ?? 'open', sharePercent: o.share ?? 0, paused: o.paused ?? false, left,
    jobs: live > 0 ? [job(`oldest-of-${version}`)] : [], outcomes: left.outcomes > 0 ? [job(`ended-of-${version}`)] : [],
  };
};

let workers = 0;
export const worker = (reads: readonly number[], o: Partial<WorkerFacts> = {}): WorkerFacts =>
  ({ workerId: `w${(workers += 1)}`, build: `worker@${reads.join('+')}`, state: 'active', concurrency: 4, silentMs: 1_000, reads, suspended: [], ...o });
export const producer = (reads: readonly number[], writes = reads): ProducerFacts => ({ producer: `ingest-${reads.join('+')}`, build: `ingest@${reads.join('+')}`, reads, writes, lastSeenMs: 0 });

export const facts = (o: Partial<KindFacts>): KindFacts => ({ kind: 'image', readAt: new Date(0), contracts: [], workers: [], producers: [], suspensions: [], ...o });

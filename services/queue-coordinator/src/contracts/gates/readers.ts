import type { ContractFacts, KindFacts, WorkerFacts } from '../facts.js';
import { contractWord } from '../contract.js';
import type { Certainty, Evidence } from './answer.js';

/** Workers that take jobs of a version, by whether they were heard lately. */
export interface Readers {
  readonly certain: readonly WorkerFacts[];
  readonly uncertain: readonly WorkerFacts[];
}

/** A worker reads what it declared, unless its build is suspended for it; one that is cordoned or drains takes nothing new. */
const takes = (worker: WorkerFacts, version: number): boolean =>
  worker.state === 'active' && worker.reads.includes(version) && !worker.suspended.includes(version);

/** @param but a build whose workers do not count */
export function readersOf(facts: KindFacts, version: number, certainty: Certainty, but?: string): Readers {
  const readers = facts.workers.filter((worker) => worker.build !== but && takes(worker, version));
  return {
    certain: readers.filter((worker) => worker.silentMs <= certainty.uncertainAfterMs),
    uncertain: readers.filter((worker) => worker.silentMs > certainty.uncertainAfterMs),
  };
}

export const concurrencyOf = (workers: readonly WorkerFacts[]): number => workers.reduce((sum, worker) => sum + worker.concurrency, 0);

export const contractOf = (facts: KindFacts, version: number): ContractFacts | undefined => facts.contracts.find((contract) => contract.version === version);

/** Finds fault where fewer than `atLeast` workers read the version. */
export function demandReaders(evidence: Evidence, facts: KindFacts, version: number, certainty: Certainty, atLeast: number): void {
  const word = contractWord({ kind: facts.kind, version });
  const { certain, uncertain } = readersOf(facts, version, certainty);
  evidence.count(`workers that read ${word}`, certain.length);
  if (uncertain.length > 0) evidence.count(`workers that read ${word} and were silent for more than ${Math.round(certainty.uncertainAfterMs / 1000)} s`, uncertain.length);
  if (certain.length >= atLeast) return;
  const list = `leasehold workers list --kind ${facts.kind}`;
  if (certain.length + uncertain.length >= atLeast) {
    for (const worker of uncertain.slice(0, 10)) evidence.unknown('READER_UNCERTAIN', `workers/${worker.workerId}`, `${worker.build} was last heard ${Math.round(worker.silentMs / 1000)} s ago and may be dead`, list);
    return;
  }
  const suspended = facts.workers.filter((worker) => worker.reads.includes(version) && worker.suspended.includes(version));
  for (const build of new Set(suspended.map((worker) => worker.build))) {
    evidence.fail('SUSPENDED', `builds/${build}`, `declares ${word} and handed it back unread: start a build that reads it`, list);
  }
  const found = certain.length + uncertain.length;
  if (found === 0) evidence.fail('NO_READER', word, `no live worker reads ${word}: start a build that does`, list);
  else evidence.fail('TOO_FEW_READERS', word, `${found} live workers read ${word}; ${atLeast} are asked for`, list);
}

/** Finds fault with producers that could not read a result of the version. */
export function demandReadingProducers(evidence: Evidence, facts: KindFacts, version: number): void {
  const word = contractWord({ kind: facts.kind, version });
  const blind = facts.producers.filter((producer) => !producer.reads.includes(version));
  evidence.count(`producers of ${facts.kind} that were heard lately`, facts.producers.length);
  for (const producer of blind.slice(0, 10)) {
    evidence.fail('PRODUCER_CANNOT_READ', `producers/${producer.producer}`, `${producer.build} cannot read results of ${word}: roll out a build that does first`, `leasehold contracts describe ${word}`);
  }
  if (facts.producers.length === 0) evidence.fail('NO_PRODUCER_KNOWN', facts.kind, `no producer of ${facts.kind} was heard lately: nobody would read the results`, `leasehold contracts describe ${word}`);
}

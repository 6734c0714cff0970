import { contractWord } from '../contract.js';
import type { ContractFacts, KindFacts } from '../facts.js';
import { Evidence, type Certainty, type GateAnswer } from './answer.js';
import { concurrencyOf, contractOf, demandReaders, demandReadingProducers, readersOf } from './readers.js';

/** The version that keeps what another does not get: the OPEN one with the largest share, of equals the newest. */
export const remainderOf = (contracts: readonly Pick<ContractFacts, 'version' | 'state' | 'sharePercent'>[], version: number): number | undefined =>
  contracts.filter((contract) => contract.version !== version && contract.state === 'open').toSorted((a, b) => b.sharePercent - a.sharePercent || b.version - a.version)[0]?.version;

/** May `percent` of new jobs be written in the version? Its readers' concurrency covers that, and what is left over has a reader too. */
export function preferGate(facts: KindFacts, version: number, percent: number, certainty: Certainty): GateAnswer {
  const word = contractWord({ kind: facts.kind, version });
  const evidence = new Evidence();
  const state = contractOf(facts, version)?.state;
  if (state !== 'open') evidence.fail('CONTRACT_STATE', word, `${word} is ${state ?? 'not known'}: open it first`, `leasehold gate open ${word}`, `leasehold rollout open ${word}`);
  if (percent > 0) {
    demandReaders(evidence, facts, version, certainty, 1);
    demandReadingProducers(evidence, facts, version);
    demandCapacity(evidence, facts, version, percent, certainty);
  }
  if (percent < 100) {
    const other = remainderOf(facts.contracts, version);
    if (other === undefined) evidence.fail('NO_OTHER_VERSION', word, `no other version of ${facts.kind} is open to take the other ${100 - percent} %`, `leasehold contracts list ${facts.kind}`);
    else demandReaders(evidence, facts, other, certainty, 1);
  }
  return evidence.answer(`leasehold rollout prefer ${word} --percent ${percent}`);
}

function demandCapacity(evidence: Evidence, facts: KindFacts, version: number, percent: number, certainty: Certainty): void {
  const word = contractWord({ kind: facts.kind, version });
  const all = concurrencyOf(facts.workers.filter((worker) => worker.state === 'active'));
  const { certain, uncertain } = readersOf(facts, version, certainty);
  const covered = concurrencyOf(certain);
  evidence.count(`concurrency of workers that read ${word}`, covered);
  evidence.count(`concurrency of all workers of ${facts.kind}`, all);
  // Without a reader the findings say so already.
  if (certain.length === 0 || covered * 100 >= percent * all) return;
  const short = `${covered} of ${all} concurrent jobs are ${Math.floor((covered * 100) / all)} %: add readers, or take a smaller share`;
  const commands = [`leasehold workers list --kind ${facts.kind}`];
  if ((covered + concurrencyOf(uncertain)) * 100 >= percent * all) evidence.unknown('READER_UNCERTAIN', word, `${short}; some readers may be dead`, ...commands);
  else evidence.fail('CAPACITY', word, short, ...commands, `leasehold gate prefer ${word} --percent ${Math.floor((covered * 100) / all)}`);
}

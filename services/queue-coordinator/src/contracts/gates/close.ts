import { contractWord } from '../contract.js';
import type { KindFacts } from '../facts.js';
import { Evidence, type Certainty, type GateAnswer } from './answer.js';
import { contractOf, demandReaders } from './readers.js';

/** May producers stop to write the version for good? Another one is OPEN, preferred at 100 %, read by workers, and every live producer can write one that stays open. */
export function closeGate(facts: KindFacts, version: number, certainty: Certainty): GateAnswer {
  const word = contractWord({ kind: facts.kind, version });
  const evidence = new Evidence();
  const state = contractOf(facts, version)?.state;
  if (state !== 'open' && state !== 'closed') evidence.fail('CONTRACT_STATE', word, `${word} is ${state ?? 'not known'}: only what is open can be closed`, `leasehold contracts describe ${word}`);
  const others = facts.contracts.filter((contract) => contract.version !== version && contract.state === 'open');
  const preferred = others.find((contract) => contract.sharePercent === 100);
  const [next] = others.toSorted((a, b) => b.sharePercent - a.sharePercent || b.version - a.version);
  if (next === undefined) {
    evidence.fail('NO_OTHER_VERSION', word, `no other version of ${facts.kind} is open: producers could hand over nothing`, `leasehold contracts list ${facts.kind}`);
  } else if (preferred === undefined) {
    const other = contractWord({ kind: facts.kind, version: next.version });
    evidence.fail('NOT_PREFERRED', other, `${other} is given ${next.sharePercent} % of new jobs: 100 % are asked for`, `leasehold rollout prefer ${other} --percent 100`);
  } else {
    const other = contractWord({ kind: facts.kind, version: preferred.version });
    demandReaders(evidence, facts, preferred.version, certainty, 1);
    if (preferred.paused) evidence.fail('PAUSED', other, `${other} is paused: all new jobs would wait`, `leasehold rollout resume ${other}`);
  }
  for (const producer of facts.producers.filter((p) => !others.some((other) => p.writes.includes(other.version))).slice(0, 10)) {
    evidence.fail('PRODUCER_CANNOT_WRITE', `producers/${producer.producer}`, `${producer.build} writes ${producer.writes.map((v) => `${facts.kind}@${v}`).join(', ')} alone: roll out a build that writes what stays open`, `leasehold contracts describe ${word}`);
  }
  evidence.count(`producers of ${facts.kind} that were heard lately`, facts.producers.length);
  return evidence.answer(`leasehold rollout close ${word}`);
}

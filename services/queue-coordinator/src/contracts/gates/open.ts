import { contractWord } from '../contract.js';
import type { KindFacts } from '../facts.js';
import { Evidence, type Certainty, type GateAnswer } from './answer.js';
import { contractOf, demandReaders, demandReadingProducers } from './readers.js';

/** May producers write the version? At least `minWorkers` live workers read it, and every live producer reads its results. Also the way back from CLOSED. */
export function openGate(facts: KindFacts, version: number, o: Certainty & { readonly minWorkers: number }): GateAnswer {
  const word = contractWord({ kind: facts.kind, version });
  const evidence = new Evidence();
  const contract = contractOf(facts, version);
  if (contract?.state === 'retired') evidence.fail('CONTRACT_STATE', word, `${word} is retired, and a version is never used again: announce another`);
  demandReaders(evidence, facts, version, o, o.minWorkers);
  demandReadingProducers(evidence, facts, version);
  return evidence.answer(`leasehold rollout ${contract?.state === 'closed' ? 'reopen' : 'open'} ${word}`);
}

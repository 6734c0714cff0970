import { contractWord } from '../contract.js';
import { jobsLeft, type KindFacts } from '../facts.js';
import { Evidence, type GateAnswer } from './answer.js';
import { contractOf } from './readers.js';

/** May readers drop the version? It is CLOSED, no job of it is left in any state, and no outcome waits for its producer. Finished jobs that are only kept do not count. */
export function retireGate(facts: KindFacts, version: number): GateAnswer {
  const word = contractWord({ kind: facts.kind, version });
  const evidence = new Evidence();
  const contract = contractOf(facts, version);
  if (contract === undefined || (contract.state !== 'closed' && contract.state !== 'retired')) {
    evidence.fail('CONTRACT_STATE', word, `${word} is ${contract?.state ?? 'not known'}: close it first, or jobs could still come`, `leasehold gate close ${word}`, `leasehold rollout close ${word}`);
  }
  const left = contract?.left;
  const jobs = left === undefined ? 0 : jobsLeft(left);
  evidence.count(`jobs of ${word} that are queued, leased or waiting to retry`, jobs);
  evidence.count(`outcomes of ${word} that wait for their producer`, left?.outcomes ?? 0);
  for (const job of contract?.jobs ?? []) evidence.fail('JOBS_LEFT', job, `one of ${jobs} that are left of ${word}`, `leasehold watch drain ${word}`, `leasehold explain job ${job}`);
  for (const job of contract?.outcomes ?? []) {
    evidence.fail('OUTCOMES_LEFT', job, `its producer has not acknowledged the outcome, one of ${left?.outcomes ?? 0}`, `leasehold watch drain ${word}`, `leasehold contracts describe ${word}`);
  }
  return evidence.answer(`leasehold rollout retire ${word}`);
}

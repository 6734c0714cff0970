import { contractWord, type ContractName } from '../contract.js';
import { jobsLeft, type ContractFacts, type KindFacts } from '../facts.js';
import { Evidence, type Certainty, type GateAnswer } from './answer.js';
import { readersOf } from './readers.js';

/** What a build says that it reads. */
export interface BuildManifest {
  readonly build: string;
  readonly reads: readonly ContractName[];
}

/** A version is present while a job of it is left, or one may still come. */
const isPresent = (contract: ContractFacts): boolean => contract.state === 'open' || jobsLeft(contract.left) > 0;

/**
 * May the candidate take the place of `replaces` (empty: come in beside the others)? Every version that is present keeps a reader. The same gate serves an upgrade and a
 * rollback: a build that drops a version, or never knew it, is refused while the version is present.
 */
export function buildGate(all: readonly KindFacts[], candidate: BuildManifest, replaces: string, certainty: Certainty): GateAnswer {
  const evidence = new Evidence();
  const concerned = all.filter((facts) => candidate.reads.some(({ kind }) => kind === facts.kind) || facts.workers.some((worker) => worker.build === replaces));
  for (const facts of concerned) {
    for (const contract of facts.contracts.filter(isPresent)) judge(evidence, facts, contract, candidate, replaces, certainty);
  }
  if (concerned.length === 0) evidence.fail('NO_READER', `builds/${candidate.build}`, 'reads no contract of a kind that is known', 'leasehold contracts list');
  return evidence.answer(`roll out ${candidate.build}`);
}

function judge(evidence: Evidence, facts: KindFacts, contract: ContractFacts, candidate: BuildManifest, replaces: string, certainty: Certainty): void {
  const { version } = contract;
  const word = contractWord({ kind: facts.kind, version });
  const declares = candidate.reads.some((read) => read.kind === facts.kind && read.version === version);
  const suspended = facts.suspensions.some((s) => s.version === version && s.build === candidate.build);
  const { certain, uncertain } = readersOf(facts, version, certainty, replaces === '' ? undefined : replaces);
  evidence.count(`other workers that read ${word}`, certain.length);
  if ((declares && !suspended) || certain.length > 0) return;
  const [witness = word] = contract.jobs;
  const present = contract.jobs.length > 0 ? `${jobsLeft(contract.left)} jobs of ${word} are left` : `${word} is open, so that jobs of it may come`;
  const commands = [`leasehold watch drain ${word}`, `leasehold workers list --kind ${facts.kind}`];
  if (uncertain.length > 0) {
    evidence.unknown('READER_UNCERTAIN', witness, `${present}, and its other readers were not heard lately`, ...commands);
  } else if (declares) {
    evidence.fail('SUSPENDED', witness, `${present}, and ${candidate.build} is suspended for it as it handed it back unread`, ...commands);
  } else {
    evidence.fail('LOSES_READER', witness, `${present}, and nobody would read it: ${candidate.build} does not`, ...commands);
  }
}

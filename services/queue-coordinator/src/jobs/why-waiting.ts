import { contractWord } from '../contracts/contract.js';
import type { KindFacts } from '../contracts/facts.js';
import type { Certainty } from '../contracts/gates/answer.js';
import { concurrencyOf, contractOf, readersOf } from '../contracts/gates/readers.js';

/** What a queued job's own row says. */
export interface LiveFacts {
  readonly version: number;
  readonly excludedBuilds: readonly string[];
  /** Negative: due since. */
  readonly dueInMs: number;
  readonly undispatched: boolean;
}

/** What holds a job up. The list of codes is closed: rollout.v1 names it. */
export interface Obstacle {
  readonly code: 'NOT_DUE' | 'PAUSED' | 'NO_READER' | 'READER_UNCERTAIN' | 'EXCLUDED' | 'NOT_DISPATCHED' | 'BUSY' | 'TURN';
  readonly subject: string;
  readonly description: string;
}

/** Why no worker runs a queued job right now, the most stubborn reason first. Never empty. */
export function whyWaiting(job: LiveFacts, facts: KindFacts, certainty: Certainty): Obstacle[] {
  const word = contractWord({ kind: facts.kind, version: job.version });
  const obstacles: Obstacle[] = [];
  const add = (code: Obstacle['code'], subject: string, description: string): void => void obstacles.push({ code, subject, description });
  const contract = contractOf(facts, job.version);
  const { certain, uncertain } = readersOf(facts, job.version, certainty);
  const readers = [...certain, ...uncertain];
  const willing = readers.filter((worker) => !job.excludedBuilds.includes(worker.build));

  if (contract?.paused === true) add('PAUSED', word, `${word} is paused: nothing of it is granted until it is resumed`);
  if (readers.length === 0) add('NO_READER', word, `no live worker reads ${word}`);
  else if (willing.length === 0) add('EXCLUDED', job.excludedBuilds.map((build) => `builds/${build}`).join(', '), `every build that reads ${word} has handed this job back unread`);
  else if (certain.length === 0) add('READER_UNCERTAIN', `workers/${uncertain[0]?.workerId ?? ''}`, 'the workers that read it were not heard lately');
  if (job.undispatched) add('NOT_DISPATCHED', facts.kind, `the dispatcher of ${facts.kind} has not been told of it yet; that is made up for as soon as it answers`);
  if (job.dueInMs > 0) add('NOT_DUE', word, `it is due in ${(job.dueInMs / 1000).toFixed(1)} s`);
  if (obstacles.length > 0) return obstacles;

  const leased = contract?.left.leased ?? 0;
  const due = contract?.left.due ?? 0;
  if (leased >= concurrencyOf(willing)) add('BUSY', word, `${leased} jobs run on ${concurrencyOf(willing)} slots, and ${due} are due: more workers would help`);
  else add('TURN', word, `it is due and will be granted in its turn; ${due} are due`);
  return obstacles;
}

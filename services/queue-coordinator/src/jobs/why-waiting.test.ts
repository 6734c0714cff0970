import { expect, test } from 'vitest';
import { certainty, contract, facts, worker } from '../contracts/gates/facts.fixture.js';
import type { KindFacts } from '../contracts/facts.js';
import { whyWaiting, type LiveFacts } from './why-waiting.js';

const due: LiveFacts = { version: 1, excludedBuilds: [], dueInMs: -1_000, undispatched: false };
const one = { contracts: [contract(1, { left: { due: 1 } })], workers: [worker([1], { build: 'a' })] };

const table: readonly (readonly [what: string, job: Partial<LiveFacts>, state: Partial<KindFacts>, codes: readonly string[]])[] = [
  ['it is due and slots are free', {}, one, ['TURN']],
  ['every slot is taken', {}, { ...one, contracts: [contract(1, { left: { due: 1, leased: 4 } })] }, ['BUSY']],
  ['it is due later', { dueInMs: 90_000 }, one, ['NOT_DUE']],
  ['no worker reads it', {}, { ...one, workers: [worker([2])] }, ['NO_READER']],
  ['the only reader is cordoned', {}, { ...one, workers: [worker([1], { state: 'cordoned' })] }, ['NO_READER']],
  ['the only reader was not heard lately', {}, { ...one, workers: [worker([1], { silentMs: 60_000 })] }, ['READER_UNCERTAIN']],
  ['the only reader has handed it back unread', { excludedBuilds: ['a'] }, one, ['EXCLUDED']],
  ['its contract is paused', {}, { ...one, contracts: [contract(1, { paused: true })] }, ['PAUSED']],
  ['its dispatcher does not know it', { undispatched: true }, one, ['NOT_DISPATCHED']],
  ['several at once, the most stubborn first', { dueInMs: 1_000 }, { contracts: [contract(1, { paused: true })], workers: [] }, ['PAUSED', 'NO_READER', 'NOT_DUE']],
];

test.for(table)('a job waits: %s', ([, job, state, codes]) => {
  const obstacles = whyWaiting({ ...due, ...job }, facts(state), certainty);
  expect(obstacles.map(({ code }) => code)).toEqual(codes);
  for (const { subject, description } of obstacles) expect(`${subject} ${description}`).toMatch(/\S+ \w+ \w+/);
});

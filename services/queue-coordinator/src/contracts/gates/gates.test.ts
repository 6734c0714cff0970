import { describe, expect, test } from 'vitest';
import type { KindFacts } from '../facts.js';
import type { GateAnswer } from './answer.js';
import { buildGate } from './build.js';
import { closeGate } from './close.js';
import { certainty, contract, facts, producer, worker } from './facts.fixture.js';
import { openGate } from './open.js';
import { preferGate } from './prefer.js';
import { retireGate } from './retire.js';

const v1 = contract(1, { share: 100 });
const both = [contract(1, { share: 50 }), contract(2, { share: 50 })];
const open = (f: KindFacts): GateAnswer => openGate(f, 2, { ...certainty, minWorkers: 1 });
const openFor2 = (f: KindFacts): GateAnswer => openGate(f, 2, { ...certainty, minWorkers: 2 });
const prefer = (percent: number) => (f: KindFacts): GateAnswer => preferGate(f, 2, percent, certainty);
const close = (f: KindFacts): GateAnswer => closeGate(f, 1, certainty);
const retire = (f: KindFacts): GateAnswer => retireGate(f, 1);
const build = (reads: readonly number[], replaces: string) => (f: KindFacts): GateAnswer =>
  buildGate([f], { build: 'candidate', reads: reads.map((version) => ({ kind: 'image', version })) }, replaces, certainty);

/** The state of queue, fleet and producers, and what the gate must answer: the verdict, and what stands in the way. */
const table: readonly (readonly [what: string, gate: (f: KindFacts) => GateAnswer, state: Partial<KindFacts>, verdict: GateAnswer['verdict'], codes: readonly string[]])[] = [
  ['open: a worker and a producer read it', open, { contracts: [v1, contract(2, { state: 'announced' })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'pass', []],
  ['open: no worker at all', open, { contracts: [v1], producers: [producer([1, 2])] }, 'fail', ['NO_READER']],
  ['open: workers read only the old one', open, { workers: [worker([1])], producers: [producer([1, 2])] }, 'fail', ['NO_READER']],
  ['open: fewer workers than asked for', openFor2, { workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'fail', ['TOO_FEW_READERS']],
  ['open: the only reader was not heard lately', open, { workers: [worker([2], { silentMs: 60_000 })], producers: [producer([1, 2])] }, 'unknown', ['READER_UNCERTAIN']],
  ['open: the only reader is cordoned', open, { workers: [worker([2], { state: 'cordoned' })], producers: [producer([2])] }, 'fail', ['NO_READER']],
  ['open: the only reader is suspended', open, { workers: [worker([2], { suspended: [2] })], producers: [producer([2])] }, 'fail', ['SUSPENDED', 'NO_READER']],
  ['open: a producer cannot read the results', open, { workers: [worker([2])], producers: [producer([1]), producer([1, 2])] }, 'fail', ['PRODUCER_CANNOT_READ']],
  ['open: no producer was heard', open, { workers: [worker([2])] }, 'fail', ['NO_PRODUCER_KNOWN']],
  ['open: the version is retired', open, { contracts: [contract(2, { state: 'retired' })], workers: [worker([2])], producers: [producer([2])] }, 'fail', ['CONTRACT_STATE']],

  ['prefer 10 %: one of two workers reads it', prefer(10), { contracts: both, workers: [worker([1]), worker([1, 2])], producers: [producer([1, 2])] }, 'pass', []],
  ['prefer 50 %: one of two workers reads it', prefer(50), { contracts: both, workers: [worker([1]), worker([1, 2])], producers: [producer([1, 2])] }, 'pass', []],
  ['prefer 51 %: one of two workers reads it', prefer(51), { contracts: both, workers: [worker([1]), worker([1, 2])], producers: [producer([1, 2])] }, 'fail', ['CAPACITY']],
  ['prefer 100 %: the other reader may be dead', prefer(100), { contracts: both, workers: [worker([2]), worker([2], { silentMs: 60_000 })], producers: [producer([2])] }, 'unknown', ['READER_UNCERTAIN']],
  ['prefer 10 %: nobody reads what the other 90 % are', prefer(10), { contracts: both, workers: [worker([2])], producers: [producer([1, 2])] }, 'fail', ['NO_READER']],
  ['prefer 10 %: nobody reads it any more', prefer(10), { contracts: both, workers: [worker([1])], producers: [producer([1, 2])] }, 'fail', ['NO_READER']],
  ['prefer: it is not open', prefer(10), { contracts: [v1, contract(2, { state: 'announced' })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'fail', ['CONTRACT_STATE']],
  ['prefer 10 %: there is no other version', prefer(10), { contracts: [contract(2, { share: 100 })], workers: [worker([2])], producers: [producer([2])] }, 'fail', ['NO_OTHER_VERSION']],
  ['prefer: an old producer came in since', prefer(10), { contracts: both, workers: [worker([1, 2])], producers: [producer([1, 2]), producer([1])] }, 'fail', ['PRODUCER_CANNOT_READ']],
  ['prefer 0 %: the way back asks only for readers of the other', prefer(0), { contracts: both, workers: [worker([1])], producers: [producer([1])] }, 'pass', []],

  ['close: the other is preferred at 100 %', close, { contracts: [contract(1), contract(2, { share: 100 })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'pass', []],
  ['close: jobs that are left do not matter', close, { contracts: [contract(1, { left: { due: 9 } }), contract(2, { share: 100 })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'pass', []],
  ['close: the other has 99 %', close, { contracts: [contract(1, { share: 1 }), contract(2, { share: 99 })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'fail', ['NOT_PREFERRED']],
  ['close: there is no other', close, { contracts: [v1], workers: [worker([1])], producers: [] }, 'fail', ['NO_OTHER_VERSION']],
  ['close: a producer writes only this one', close, { contracts: [contract(1), contract(2, { share: 100 })], workers: [worker([1, 2])], producers: [producer([1])] }, 'fail', ['PRODUCER_CANNOT_WRITE']],
  ['close: nobody reads the other any more', close, { contracts: [contract(1), contract(2, { share: 100 })], workers: [worker([1])], producers: [producer([1, 2])] }, 'fail', ['NO_READER']],
  ['close: the other is paused', close, { contracts: [contract(1), contract(2, { share: 100, paused: true })], workers: [worker([1, 2])], producers: [producer([1, 2])] }, 'fail', ['PAUSED']],

  ['retire: nothing is left', retire, { contracts: [contract(1, { state: 'closed' })] }, 'pass', []],
  ['retire: one job is due', retire, { contracts: [contract(1, { state: 'closed', left: { due: 1 } })] }, 'fail', ['JOBS_LEFT']],
  ['retire: one job is due later', retire, { contracts: [contract(1, { state: 'closed', left: { scheduled: 1 } })] }, 'fail', ['JOBS_LEFT']],
  ['retire: one job waits to retry', retire, { contracts: [contract(1, { state: 'closed', left: { retrying: 1 } })] }, 'fail', ['JOBS_LEFT']],
  ['retire: one job is leased', retire, { contracts: [contract(1, { state: 'closed', left: { leased: 1 } })] }, 'fail', ['JOBS_LEFT']],
  ['retire: one job is not relayed', retire, { contracts: [contract(1, { state: 'closed', left: { undispatched: 1 } })] }, 'fail', ['JOBS_LEFT']],
  ['retire: one outcome is not acknowledged', retire, { contracts: [contract(1, { state: 'closed', left: { outcomes: 1 } })] }, 'fail', ['OUTCOMES_LEFT']],
  ['retire: it is still open', retire, { contracts: [contract(1)] }, 'fail', ['CONTRACT_STATE']],

  ['build: it reads all that is present', build([1, 2], 'old'), { contracts: both, workers: [worker([1], { build: 'old' })] }, 'pass', []],
  ['build: it drops a version that others read', build([2], 'old'), { contracts: both, workers: [worker([1], { build: 'old' }), worker([1], { build: 'other' })] }, 'pass', []],
  ['build: it drops a version of which a job is left', build([2], 'old'), { contracts: [contract(1, { state: 'closed', left: { due: 1 } }), contract(2)], workers: [worker([1], { build: 'old' })] }, 'fail', ['LOSES_READER']],
  ['build: it drops a version that is open', build([2], 'old'), { contracts: both, workers: [worker([1, 2], { build: 'old' })] }, 'fail', ['LOSES_READER']],
  ['build: it drops a version that is closed and empty', build([2], 'old'), { contracts: [contract(1, { state: 'closed' }), contract(2)], workers: [worker([1, 2], { build: 'old' })] }, 'pass', []],
  ['build: an outcome that waits needs no worker', build([2], 'old'), { contracts: [contract(1, { state: 'closed', left: { outcomes: 1 } }), contract(2)], workers: [worker([1, 2], { build: 'old' })] }, 'pass', []],
  ['build: a rollback to what does not read the new one', build([1], 'new'), { contracts: [contract(1), contract(2, { share: 100, left: { leased: 1 } })], workers: [worker([1, 2], { build: 'new' })] }, 'fail', ['LOSES_READER']],
  ['build: the other reader may be dead', build([2], 'old'), { contracts: both, workers: [worker([1], { build: 'old' }), worker([1], { build: 'other', silentMs: 60_000 })] }, 'unknown', ['READER_UNCERTAIN']],
  ['build: it is suspended for what it declares', build([1], 'old'), { contracts: [v1], workers: [worker([1], { build: 'old' })], suspensions: [{ version: 1, build: 'candidate' }] }, 'fail', ['SUSPENDED']],
  ['build: it reads nothing that is known', (f) => buildGate([f], { build: 'candidate', reads: [{ kind: 'video', version: 1 }] }, '', certainty), { contracts: [v1], workers: [worker([1])] }, 'fail', ['NO_READER']],
];

test.for(table)('V3: %s', ([, gate, state, verdict, codes]) => {
  const answer = gate(facts(state));
  expect({ verdict: answer.verdict, codes: [...new Set(answer.findings.map(({ code }) => code))] }).toEqual({ verdict, codes });
});

describe('every answer', () => {
  const answers = table.map(([what, gate, state]) => ({ what, answer: gate(facts(state)) }));

  test.for(answers)('$what: names what to do next, and for what stands in the way a witness and a remedy', ({ answer }) => {
    expect(answer.findings.length > 0).toBe(answer.verdict !== 'pass');
    for (const { subject, description } of answer.findings) expect({ subject, description }).toEqual({ subject: expect.stringMatching(/\S/), description: expect.stringMatching(/\w+ \w+/) });
    if (answer.findings.every(({ code }) => code !== 'CONTRACT_STATE')) expect(answer.nextCommands).not.toEqual([]);
  });

  test('PASS shows what was counted', () => {
    for (const { what, answer } of answers) if (answer.verdict === 'pass' && !what.startsWith('prefer 0') && !what.startsWith('build')) expect(answer.counted, what).not.toEqual([]);
  });
});

test('a witness is the very job that is left', () => {
  const { findings } = retire(facts({ contracts: [contract(1, { state: 'closed', left: { due: 3, outcomes: 1 } })] }));
  expect(findings.map(({ subject }) => subject)).toEqual(['namespaces/default/kinds/image/jobs/oldest-of-1', 'namespaces/default/kinds/image/jobs/ended-of-1']);
});

import { describe, expect, test } from 'vitest';
import { JobFault, UnreadableContract } from './job-fault.js';
import { JobCancelled, LeaseLost, LeaseUntrusted, WorkerDraining } from './run-aborted.js';
import { settlementOf, type RunEnd } from './run-end.js';

const result = Buffer.from('result');
const returned: RunEnd = { kind: 'returned', result };
const threw = (error: unknown): RunEnd => ({ kind: 'threw', error });
const internal = { verb: 'fail', reason: 'INTERNAL', faultClass: 'technical' };

describe('a run that was left alone', () => {
  test('completes with what it returned', () => {
    expect(settlementOf(returned, undefined, true)).toEqual({ verb: 'complete', result });
  });

  test('fails with the reason and class that the handler gave', () => {
    expect(settlementOf(threw(new JobFault('CORRUPT', 'content')), undefined, true)).toEqual({ verb: 'fail', reason: 'CORRUPT', faultClass: 'content' });
  });

  test('fails as technical, INTERNAL, for any other throw, whose text goes nowhere', () => {
    expect(settlementOf(threw(new Error('/home/secret')), undefined, true)).toEqual(internal);
    expect(settlementOf(threw('text'), undefined, true)).toEqual(internal);
  });

  test('hands a payload back that this build cannot read', () => {
    const end: RunEnd = { kind: 'unreadable', error: new UnreadableContract('no') };
    expect(settlementOf(end, undefined, true)).toEqual({ verb: 'release', cause: 'unreadable_contract' });
  });

  test('fails when its result is larger than the edge allows', () => {
    expect(settlementOf({ kind: 'returned', result: Buffer.alloc(256 * 1024) }, undefined, true)).toMatchObject({ verb: 'complete' });
    expect(settlementOf({ kind: 'returned', result: Buffer.alloc(256 * 1024 + 1) }, undefined, true)).toEqual(internal);
  });
});

describe('a run whose trust ended', () => {
  const untrusted = new LeaseUntrusted(false);

  test('never completes', () => {
    expect(settlementOf(returned, untrusted, false)).toEqual(internal);
  });

  test('never completes either when the timer that ends trust is late', () => {
    expect(settlementOf(returned, undefined, false)).toEqual(internal);
  });

  test('passes no verdict on the content', () => {
    expect(settlementOf(threw(new JobFault('CORRUPT', 'content')), untrusted, false)).toEqual(internal);
  });

  test('keeps the technical reason that the handler gave', () => {
    expect(settlementOf(threw(new JobFault('TIMEOUT', 'technical')), untrusted, false)).toEqual({ verb: 'fail', reason: 'TIMEOUT', faultClass: 'technical' });
  });
});

test.each([new LeaseLost(), new JobCancelled()])('nothing is settled for a run that was told: $message', (reason) => {
  expect(settlementOf(returned, reason, true)).toBeUndefined();
  expect(settlementOf(threw(reason), reason, true)).toBeUndefined();
});

describe('a run that was told to stop as the worker drains', () => {
  const draining = new WorkerDraining();

  test('completes when it had just finished', () => {
    expect(settlementOf(returned, draining, true)).toEqual({ verb: 'complete', result });
  });

  test('is handed back when it threw', () => {
    expect(settlementOf(threw(draining), draining, true)).toEqual({ verb: 'release', cause: 'drain' });
    expect(settlementOf(threw(new JobFault('TIMEOUT', 'technical')), draining, true)).toEqual({ verb: 'release', cause: 'drain' });
  });

  test('still says that the content is at fault', () => {
    expect(settlementOf(threw(new JobFault('CORRUPT', 'content')), draining, true)).toMatchObject({ verb: 'fail', reason: 'CORRUPT' });
  });
});

test('a fault reason that the coordinator would refuse is refused where it is written', () => {
  expect(() => new JobFault('not a word', 'technical')).toThrow(RangeError);
});

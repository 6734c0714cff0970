import { expect, test } from 'vitest';
import { Gate } from '../testbed/gate.fixture.js';
import { Validations } from './validations.js';

const never = new AbortController().signal;

test('so many files are looked at at once, and the others wait for their turn', async () => {
  const validations = new Validations({ atOnce: 2, maxSkus: 1 });
  const gates = [new Gate(), new Gate(), new Gate()];
  const begun: number[] = [];
  const runs = gates.map((gate, i) => validations.run(async () => {
    begun.push(i);
    await gate.pass();
    return i;
  }, never));
  await expect.poll(() => begun).toEqual([0, 1]);
  gates[1]?.open();
  expect(await runs[1]).toBe(1);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.open();
  expect(await Promise.all(runs)).toEqual([0, 1, 2]);
});

test('a caller that has gone before its turn is not looked at, and takes no place', async () => {
  const validations = new Validations({ atOnce: 1, maxSkus: 1 });
  const gate = new Gate();
  const gone = new AbortController();
  const first = validations.run(() => gate.pass(), never);
  const second = validations.run(async () => { throw new Error('looked at'); }, gone.signal);
  gone.abort(new Error('gone'));
  gate.open();
  await first;
  await expect(second).rejects.toThrow('gone');
  expect(await validations.run(async () => 'next', never)).toBe('next');
});

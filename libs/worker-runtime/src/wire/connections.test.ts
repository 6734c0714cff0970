import { describe, expect, test } from 'vitest';
import { ManualClock } from '@leasehold/service';
import { Connections } from './connections.js';
import { CallTimedOut } from './deadline.js';
import type { LeaseConnection } from './lease-connection.js';

const unused = (): Promise<never> => Promise.reject(new Error('not called'));
const connection = (): LeaseConnection => ({ registerWorker: unused, acquireLeases: unused, extendLeases: unused, settleLeases: unused, deregisterWorker: unused });

const never = new AbortController().signal;
const hang = (): Promise<never> => new Promise(() => undefined);

function two() {
  const clock = new ManualClock();
  const [a, b] = [connection(), connection()];
  return { clock, a, b, connections: new Connections([a, b], clock) };
}

/** Which connection a call uses now. */
async function used(connections: Connections): Promise<LeaseConnection> {
  const { response } = await connections.call({ deadlineMs: 100, signal: never, send: (c) => Promise.resolve(c) });
  return response;
}

test('an answer comes with the moment at which its call was sent', async () => {
  const { clock, connections } = two();
  await clock.advance(500);
  const call = connections.call({ deadlineMs: 100, signal: never, send: async () => clock.wait(70) });
  await clock.advance(70);
  await expect(call).resolves.toMatchObject({ sentAtMs: 500 });
});

test('a call carries its deadline to the coordinator', async () => {
  const { connections } = two();
  const { response } = await connections.call({ deadlineMs: 300, signal: never, send: (_, { timeoutMs }) => Promise.resolve(timeoutMs) });
  expect(response).toBe(300);
});

describe('a call that is not answered in time', () => {
  test('ends by itself, tells the connection to stop, and the next goes elsewhere', async () => {
    const { clock, connections, a, b } = two();
    expect(await used(connections)).toBe(a);
    let stopped: AbortSignal | undefined;
    const call = connections.call({ deadlineMs: 300, signal: never, send: (_, { signal }) => { stopped = signal; return hang(); } });
    const failed = expect(call).rejects.toThrow(CallTimedOut);
    await clock.advance(299);
    expect(stopped?.aborted).toBe(false);
    await clock.advance(1);
    await failed;
    expect(stopped?.aborted).toBe(true);
    expect(await used(connections)).toBe(b);
  });

  test('moves on once, however many calls fail together', async () => {
    const { connections, b } = two();
    const fail = () => connections.call({ deadlineMs: 300, signal: never, send: () => Promise.reject(new Error('broken')) });
    await Promise.allSettled([fail(), fail()]);
    expect(await used(connections)).toBe(b);
  });
});

test('a call that the worker itself ends does not blame the connection', async () => {
  const { connections, a } = two();
  const stop = new AbortController();
  const call = connections.call({ deadlineMs: 300, signal: stop.signal, send: hang });
  const failed = expect(call).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await failed;
  expect(await used(connections)).toBe(a);
});

test('an answered call leaves no timer behind', async () => {
  const { clock, connections } = two();
  await used(connections);
  expect(clock.pending).toBe(0);
});

test('a worker without a connection is refused', () => {
  expect(() => new Connections([], new ManualClock())).toThrow(RangeError);
});

import { status } from '@grpc/grpc-js';
import { DiscardRequest, DiscardResponse, EchoRequest, EchoResponse } from '@leasehold/echo-v1';
import { describe, expect, test } from 'vitest';
import { ECHO_DOMAIN, serveEdges } from './edges.fixture.js';
import type { Fault } from './fault.js';
import { faults } from './faults.js';

const { unavailable, aborted, exhausted, internal } = faults(ECHO_DOMAIN);

/** Refuses the first calls of both methods with a fault. */
async function refusing(times: number, fault: Fault) {
  const calls = { echo: 0, discard: 0 };
  const answer = <R>(method: keyof typeof calls, response: R): Promise<R> => {
    calls[method] += 1;
    return calls[method] <= times ? Promise.reject(fault) : Promise.resolve(response);
  };
  const edges = await serveEdges({
    echo: { echo: () => answer('echo', EchoResponse.create()), discard: () => answer('discard', DiscardResponse.create()) },
  });
  return { client: edges.echoClient({ idempotent: ['echo'] }), calls };
}

describe('UNAVAILABLE', () => {
  test('is retried for a method named idempotent', async () => {
    const { client, calls } = await refusing(2, unavailable('DATABASE_AWAY', 'away'));
    await expect(client.echo(EchoRequest.create())).resolves.toEqual(EchoResponse.create());
    expect(calls.echo).toBe(3);
  });

  test('is never retried for another method', async () => {
    const { client, calls } = await refusing(1, unavailable('DATABASE_AWAY', 'away'));
    await expect(client.discard(DiscardRequest.create())).rejects.toMatchObject({ code: status.UNAVAILABLE, reason: 'DATABASE_AWAY' });
    expect(calls.discard).toBe(1);
  });

  test('is reported after the last retry, as the server worded it', async () => {
    const { client, calls } = await refusing(Infinity, unavailable('DATABASE_AWAY', 'away', 5000));
    await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ reason: 'DATABASE_AWAY', retryDelayMs: 5000 });
    expect(calls.echo).toBe(4);
  });
});

test.each([aborted('LEASE_LOST', 'stale'), exhausted('QUEUE_FULL', 'full', 1), internal('broken')])('$reason is not retried, even for an idempotent method', async (fault) => {
  const { client, calls } = await refusing(1, fault);
  await expect(client.echo(EchoRequest.create())).rejects.toMatchObject({ reason: fault.reason });
  expect(calls.echo).toBe(1);
});

test('calls go round robin over several addresses, and on to those that are left', async () => {
  const counted = async () => {
    const state = { calls: 0 };
    const edges = await serveEdges({ echo: { echo: () => { state.calls += 1; return Promise.resolve(EchoResponse.create()); } } });
    return { edges, state };
  };
  const [a, b] = [await counted(), await counted()];
  const client = a.edges.echoClient({ idempotent: ['echo'] }, [a.edges.server.address, b.edges.server.address]);
  await expect.poll(async () => {
    await client.echo(EchoRequest.create());
    return a.state.calls > 0 && b.state.calls > 0;
  }).toBe(true);
  await a.edges.server.stop(AbortSignal.abort());
  const before = b.state.calls;
  for (let i = 0; i < 10; i += 1) await client.echo(EchoRequest.create());
  expect(b.state.calls).toBe(before + 10);
});

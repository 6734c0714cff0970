import { status } from '@grpc/grpc-js';
import { CollectRequest, CollectResponse, Note } from '@leasehold/echo-v1';
import { describe, expect, test } from 'vitest';
import { deferred } from './deferred.fixture.js';
import { serveEdges } from './edges.fixture.js';
import { proxyTo } from './proxy.fixture.js';

describe('a client stream that is broken off never looks complete', () => {
  const request = CollectRequest.create({ part: { $case: 'note', value: Note.create({ body: Buffer.alloc(10) }) } });

  /** A handler that reads all, and what became of it. */
  async function reading() {
    const begun = deferred();
    const outcome = deferred<unknown>();
    const edges = await serveEdges({
      echo: {
        collect: async (received) => {
          try {
            for await (const _ of received) begun.resolve();
          } catch (error) {
            outcome.resolve(error);
            throw error;
          }
          outcome.resolve('complete');
          return CollectResponse.create();
        },
      },
    });
    async function* requests(then: () => Promise<never> | never) {
      yield request;
      await begun.promise;
      await then();
    }
    return { edges, begun: begun.promise, outcome: outcome.promise, requests };
  }

  const never = (): Promise<never> => new Promise(() => undefined);

  test('by a source that fails: the caller gets the source\'s own error', async () => {
    const { edges, outcome, requests } = await reading();
    const failing = requests(() => { throw new RangeError('the disk is gone'); });
    await expect(edges.echoClient().collect(failing)).rejects.toThrow(RangeError);
    expect(await outcome).toMatchObject({ code: status.CANCELLED });
    expect(edges.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('by its caller', async () => {
    const { edges, begun, outcome, requests } = await reading();
    const caller = new AbortController();
    const cancelled = expect(edges.echoClient().collect(requests(never), { signal: caller.signal })).rejects.toMatchObject({ code: status.CANCELLED });
    await begun;
    caller.abort();
    await cancelled;
    expect(await outcome).toMatchObject({ code: status.CANCELLED });
  });

  test('by a connection that ends, with or without a goodbye', async () => {
    for (const how of ['end', 'cut'] as const) {
      const { edges, begun, outcome, requests } = await reading();
      const proxy = await proxyTo(edges.server.address);
      const broken = expect(edges.echoClient({}, proxy.address).collect(requests(never))).rejects.toMatchObject({ code: status.UNAVAILABLE });
      await begun;
      proxy[how]();
      await broken;
      expect(await outcome).toMatchObject({ code: status.CANCELLED });
    }
  });

  test('while one that its caller ends is complete', async () => {
    const { edges, outcome } = await reading();
    await edges.echoClient().collect((async function* () { yield request; yield request; })());
    expect(await outcome).toBe('complete');
  });
});

test('a client stream that the server ends early stops reading its source', async () => {
  const closed = deferred();
  const request = CollectRequest.create({ part: { $case: 'note', value: Note.create({ body: Buffer.alloc(10) }) } });
  const edges = await serveEdges({ echo: { collect: async (requests) => { for await (const _ of requests) break; throw new Error('enough'); } } });
  const endless = (async function* () { try { for (;;) { yield request; await new Promise(setImmediate); } } finally { closed.resolve(); } })();
  await expect(edges.echoClient().collect(endless)).rejects.toMatchObject({ code: status.INTERNAL });
  await closed.promise;
});

import { status } from '@grpc/grpc-js';
import { UploadFileRequest, UploadFileResponse } from '@leasehold/ingest-v1';
import { describe, expect, test } from 'vitest';
import { deferred } from './deferred.fixture.js';
import { serveEdges } from './edges.fixture.js';
import { proxyTo } from './proxy.fixture.js';

describe('a client stream that is broken off never looks complete', () => {
  const chunk = UploadFileRequest.create({ part: { $case: 'chunk', value: Buffer.alloc(10) } });

  /** A handler that reads all, and what became of it. */
  async function reading() {
    const begun = deferred();
    const outcome = deferred<unknown>();
    const edges = await serveEdges({
      files: {
        uploadFile: async (requests) => {
          try {
            for await (const _ of requests) begun.resolve();
          } catch (error) {
            outcome.resolve(error);
            throw error;
          }
          outcome.resolve('complete');
          return UploadFileResponse.create();
        },
      },
    });
    async function* chunks(then: () => Promise<never> | never) {
      yield chunk;
      await begun.promise;
      await then();
    }
    return { edges, begun: begun.promise, outcome: outcome.promise, chunks };
  }

  const never = (): Promise<never> => new Promise(() => undefined);

  test('by a source that fails: the caller gets the source\'s own error', async () => {
    const { edges, outcome, chunks } = await reading();
    const failing = chunks(() => { throw new RangeError('the disk is gone'); });
    await expect(edges.files().uploadFile(failing)).rejects.toThrow(RangeError);
    expect(await outcome).toMatchObject({ code: status.CANCELLED });
    expect(edges.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('by its caller', async () => {
    const { edges, begun, outcome, chunks } = await reading();
    const caller = new AbortController();
    const cancelled = expect(edges.files().uploadFile(chunks(never), { signal: caller.signal })).rejects.toMatchObject({ code: status.CANCELLED });
    await begun;
    caller.abort();
    await cancelled;
    expect(await outcome).toMatchObject({ code: status.CANCELLED });
  });

  test('by a connection that ends, with or without a goodbye', async () => {
    for (const how of ['end', 'cut'] as const) {
      const { edges, begun, outcome, chunks } = await reading();
      const proxy = await proxyTo(edges.server.address);
      const broken = expect(edges.files({}, proxy.address).uploadFile(chunks(never))).rejects.toMatchObject({ code: status.UNAVAILABLE });
      await begun;
      proxy[how]();
      await broken;
      expect(await outcome).toMatchObject({ code: status.CANCELLED });
    }
  });

  test('while one that its caller ends is complete', async () => {
    const { edges, outcome } = await reading();
    await edges.files().uploadFile((async function* () { yield chunk; yield chunk; })());
    expect(await outcome).toBe('complete');
  });
});

test('a client stream that the server ends early stops reading its source', async () => {
  const closed = deferred();
  const chunk = UploadFileRequest.create({ part: { $case: 'chunk', value: Buffer.alloc(10) } });
  const edges = await serveEdges({ files: { uploadFile: async (requests) => { for await (const _ of requests) break; throw new Error('enough'); } } });
  const endless = (async function* () { try { for (;;) { yield chunk; await new Promise(setImmediate); } } finally { closed.resolve(); } })();
  await expect(edges.files().uploadFile(endless)).rejects.toMatchObject({ code: status.INTERNAL });
  await closed.promise;
});

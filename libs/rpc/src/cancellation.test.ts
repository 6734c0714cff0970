import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { UploadFileRequest, UploadFileResponse } from '@leasehold/ingest-v1';
import { GetJobResponse, QueueServiceService, WatchJobResponse } from '@leasehold/queue-v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallContext } from './call-context.js';
import { deferred } from './deferred.fixture.js';
import { QUEUE_DOMAIN, serveEdges } from './edges.fixture.js';
import { Fault } from './fault.js';
import { proxyTo } from './proxy.fixture.js';
import { rawWithServerDeadline } from './raw-call.fixture.js';

/** A handler that waits for its signal, and what it saw. */
function waiting() {
  const arrived = deferred<CallContext>();
  const ended = deferred<unknown>();
  const wait = async (call: CallContext): Promise<never> => {
    arrived.resolve(call);
    if (!call.signal.aborted) await once(call.signal, 'abort');
    ended.resolve(call.signal.reason);
    return call.signal.throwIfAborted() ?? Promise.reject(new Error('the signal fired without a reason'));
  };
  return { wait, arrived: arrived.promise, ended: ended.promise };
}

describe('the signal of a handler', () => {
  test('fires when the caller cancels, and the caller gets CANCELLED', async () => {
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ queue: { getJob: (_, call) => wait(call) } });
    const caller = new AbortController();
    const answer = edges.queue().getJob({ name: 'a' }, { signal: caller.signal });
    const cancelled = expect(answer).rejects.toMatchObject({ code: status.CANCELLED, cause: { message: 'the user left' } });
    await arrived;
    caller.abort(new Error('the user left'));
    await cancelled;
    expect(await ended).toMatchObject({ code: status.CANCELLED, domain: QUEUE_DOMAIN });
    await expect.poll(() => edges.answered('GetJob', 'CANCELLED')).toBe(1);
    expect(edges.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('fires when the deadline passes before the handler is done', async () => {
    const { wait, ended } = waiting();
    const edges = await serveEdges({ queue: { getJob: (_, call) => wait(call) } });
    const refusal = await rawWithServerDeadline(edges.server.address, QueueServiceService.getJob.path, 20);
    expect(refusal).toEqual({ code: status.DEADLINE_EXCEEDED, details: ['type.googleapis.com/google.rpc.ErrorInfo'] });
    expect(await ended).toMatchObject({ code: status.DEADLINE_EXCEEDED, reason: 'DEADLINE_EXCEEDED', domain: QUEUE_DOMAIN });
    expect(await edges.answered('GetJob', 'DEADLINE_EXCEEDED')).toBe(1);
  });

  test('fires when the connection breaks, and the caller gets UNAVAILABLE', async () => {
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ queue: { getJob: (_, call) => wait(call) } });
    const proxy = await proxyTo(edges.server.address);
    const answer = edges.queue({}, proxy.address).getJob({ name: 'a' });
    const broken = expect(answer).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await arrived;
    proxy.cut();
    await broken;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('fires when the peer falls silent, on both sides', async () => {
    const keepalive = { everyMs: 50, timeoutMs: 50 };
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ keepalive, queue: { async *watchJob(_, call) { yield WatchJobResponse.create(); await wait(call); } } });
    const proxy = await proxyTo(edges.server.address);
    const watch = (async () => { for await (const _ of edges.queue({ keepalive }, proxy.address).watchJob({ name: 'a' })); })();
    const broken = expect(watch).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await arrived;
    proxy.swallow();
    await broken;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('does not fire after the answer', async () => {
    const signals: AbortSignal[] = [];
    const edges = await serveEdges({ queue: { getJob: (_, { signal }) => { signals.push(signal); return Promise.resolve(GetJobResponse.create()); } } });
    const client = edges.queue();
    await client.getJob({ name: 'a' });
    await client.getJob({ name: 'b' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test('reaches a call that the handler makes, with what is left of the deadline', async () => {
    const inner = waiting();
    const behind = await serveEdges({ queue: { getJob: (_, call) => inner.wait(call) } });
    const client = behind.queue();
    const front = await serveEdges({ queue: { getJob: (request, call) => client.getJob(request, { signal: call.signal, timeoutMs: call.remainingMs() }) } });
    const caller = new AbortController();
    const answer = front.queue().getJob({ name: 'a' }, { signal: caller.signal, timeoutMs: 60_000 });
    const refused = expect(answer).rejects.toBeInstanceOf(Fault);
    const { deadlineMs } = await inner.arrived;
    expect(deadlineMs).toBeGreaterThan(0);
    expect(deadlineMs).toBeLessThanOrEqual(60_000);
    caller.abort();
    expect(await inner.ended).toMatchObject({ code: status.CANCELLED });
    await refused;
  });
});

test('one signal may govern many calls at once without a warning of Node', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  let arrived = 0;
  const edges = await serveEdges({
    queue: {
      getJob: async (_, call) => {
        arrived += 1;
        for (let i = 0; i < 20; i += 1) call.signal.addEventListener('abort', () => undefined);
        await once(call.draining, 'abort');
        return GetJobResponse.create();
      },
    },
  });
  const client = edges.queue();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 20 }, () => client.getJob({ name: 'a' }, { signal }));
  await expect.poll(() => arrived).toBe(20);
  await Promise.all([...calls, edges.server.stop(new AbortController().signal)]);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

describe('deadlines', () => {
  test('every unary call has one, also without asking', async () => {
    const contexts: CallContext[] = [];
    const edges = await serveEdges({ queue: { getJob: (_, call) => { contexts.push(call); return Promise.resolve(GetJobResponse.create()); } } });
    const client = edges.queue({ defaultTimeoutMs: 5000 });
    await client.getJob({ name: 'a' });
    await client.getJob({ name: 'a' }, { timeoutMs: Infinity });
    for (const { deadlineMs } of contexts) {
      expect(deadlineMs).toBeGreaterThan(0);
      expect(deadlineMs).toBeLessThanOrEqual(5000);
    }
  });

  test('a call whose time is up is not sent', async () => {
    const edges = await serveEdges();
    const client = edges.queue();
    await expect(client.getJob({ name: 'a' }, { timeoutMs: 0 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await expect(client.getJob({ name: 'a' }, { timeoutMs: -5 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await expect(client.getJob({ name: 'a' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: status.CANCELLED });
    expect(edges.logged()).toEqual([]);
  });

  test('the longest deadline is a long one, not none', async () => {
    const edges = await serveEdges({ queue: { getJob: (_, call) => Promise.resolve(GetJobResponse.create({ job: { attempt: call.remainingMs() > 2 ** 30 ? 1 : 0 } })) } });
    expect((await edges.queue().getJob({ name: 'a' }, { timeoutMs: Number.MAX_SAFE_INTEGER })).job?.attempt).toBe(1);
  });

  test('a call that takes too long ends at the caller too', async () => {
    const { wait } = waiting();
    const edges = await serveEdges({ queue: { getJob: (_, call) => wait(call) } });
    await expect(edges.queue({ defaultTimeoutMs: 30 }).getJob({ name: 'a' })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });
});

describe('a server stream', () => {
  test('that its consumer leaves early is cancelled, and the handler cleans up', async () => {
    const cleaned = deferred<string>();
    const edges = await serveEdges({
      queue: {
        async *watchJob(_, { signal }) {
          try {
            for (;;) {
              yield WatchJobResponse.create();
              await new Promise(setImmediate);
            }
          } finally {
            cleaned.resolve(signal.aborted ? 'aborted' : 'not aborted');
          }
        },
      },
    });
    for await (const _ of edges.queue().watchJob({ name: 'a' })) break;
    expect(await cleaned.promise).toBe('aborted');
  });

  test('is cancelled by the caller\'s signal while the handler waits', async () => {
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ queue: { async *watchJob(_, call) { yield WatchJobResponse.create(); await wait(call); } } });
    const caller = new AbortController();
    const seen: unknown[] = [];
    const watch = (async () => { for await (const answer of edges.queue().watchJob({ name: 'a' }, { signal: caller.signal })) seen.push(answer); })();
    const cancelled = expect(watch).rejects.toMatchObject({ code: status.CANCELLED });
    await arrived;
    await expect.poll(() => seen).toHaveLength(1);
    caller.abort();
    await cancelled;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('that nobody iterates makes no call', async () => {
    const edges = await serveEdges();
    const client = edges.queue();
    client.watchJob({ name: 'a' });
    expect(client.channelState).toBe('idle');
  });
});

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

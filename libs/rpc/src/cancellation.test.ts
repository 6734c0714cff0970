import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { EchoRequest, EchoResponse, EchoServiceService, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallContext } from './call-context.js';
import { deferred } from './deferred.fixture.js';
import { ECHO_DOMAIN, serveEdges } from './edges.fixture.js';
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
    const edges = await serveEdges({ echo: { echo: (_, call) => wait(call) } });
    const caller = new AbortController();
    const answer = edges.echoClient().echo(EchoRequest.create(), { signal: caller.signal });
    const cancelled = expect(answer).rejects.toMatchObject({ code: status.CANCELLED, cause: { message: 'the user left' } });
    await arrived;
    caller.abort(new Error('the user left'));
    await cancelled;
    expect(await ended).toMatchObject({ code: status.CANCELLED, domain: ECHO_DOMAIN });
    await expect.poll(() => edges.answered('Echo', 'CANCELLED')).toBe(1);
    expect(edges.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('fires when the deadline passes before the handler is done', async () => {
    const { wait, ended } = waiting();
    const edges = await serveEdges({ echo: { echo: (_, call) => wait(call) } });
    const refusal = await rawWithServerDeadline(edges.server.address, EchoServiceService.echo.path, 20);
    expect(refusal).toEqual({ code: status.DEADLINE_EXCEEDED, details: ['type.googleapis.com/google.rpc.ErrorInfo'] });
    expect(await ended).toMatchObject({ code: status.DEADLINE_EXCEEDED, reason: 'DEADLINE_EXCEEDED', domain: ECHO_DOMAIN });
    expect(await edges.answered('Echo', 'DEADLINE_EXCEEDED')).toBe(1);
  });

  test('fires when the connection breaks, and the caller gets UNAVAILABLE', async () => {
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ echo: { echo: (_, call) => wait(call) } });
    const proxy = await proxyTo(edges.server.address);
    const answer = edges.echoClient({}, proxy.address).echo(EchoRequest.create());
    const broken = expect(answer).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await arrived;
    proxy.cut();
    await broken;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('fires when the peer falls silent, on both sides', async () => {
    const keepalive = { everyMs: 50, timeoutMs: 50 };
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ keepalive, echo: { async *repeat(_, call) { yield RepeatResponse.create(); await wait(call); } } });
    const proxy = await proxyTo(edges.server.address);
    const watch = (async () => { for await (const _ of edges.echoClient({ keepalive }, proxy.address).repeat(RepeatRequest.create())); })();
    const broken = expect(watch).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await arrived;
    proxy.swallow();
    await broken;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('does not fire after the answer', async () => {
    const signals: AbortSignal[] = [];
    const edges = await serveEdges({ echo: { echo: (_, { signal }) => { signals.push(signal); return Promise.resolve(EchoResponse.create()); } } });
    const client = edges.echoClient();
    await client.echo(EchoRequest.create());
    await client.echo(EchoRequest.create());
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test('reaches a call that the handler makes, with what is left of the deadline', async () => {
    const inner = waiting();
    const behind = await serveEdges({ echo: { echo: (_, call) => inner.wait(call) } });
    const client = behind.echoClient();
    const front = await serveEdges({ echo: { echo: (request, call) => client.echo(request, { signal: call.signal, timeoutMs: call.remainingMs() }) } });
    const caller = new AbortController();
    const answer = front.echoClient().echo(EchoRequest.create(), { signal: caller.signal, timeoutMs: 60_000 });
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
    echo: {
      echo: async (_, call) => {
        arrived += 1;
        for (let i = 0; i < 20; i += 1) call.signal.addEventListener('abort', () => undefined);
        await once(call.draining, 'abort');
        return EchoResponse.create();
      },
    },
  });
  const client = edges.echoClient();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 20 }, () => client.echo(EchoRequest.create(), { signal }));
  await expect.poll(() => arrived).toBe(20);
  await Promise.all([...calls, edges.server.stop(new AbortController().signal)]);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

describe('deadlines', () => {
  test('every unary call has one, also without asking', async () => {
    const contexts: CallContext[] = [];
    const edges = await serveEdges({ echo: { echo: (_, call) => { contexts.push(call); return Promise.resolve(EchoResponse.create()); } } });
    const client = edges.echoClient({ defaultTimeoutMs: 5000 });
    await client.echo(EchoRequest.create());
    await client.echo(EchoRequest.create(), { timeoutMs: Infinity });
    for (const { deadlineMs } of contexts) {
      expect(deadlineMs).toBeGreaterThan(0);
      expect(deadlineMs).toBeLessThanOrEqual(5000);
    }
  });

  test('a call whose time is up is not sent', async () => {
    const edges = await serveEdges();
    const client = edges.echoClient();
    await expect(client.echo(EchoRequest.create(), { timeoutMs: 0 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await expect(client.echo(EchoRequest.create(), { timeoutMs: -5 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await expect(client.echo(EchoRequest.create(), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: status.CANCELLED });
    expect(edges.logged()).toEqual([]);
  });

  test('the longest deadline is a long one, not none', async () => {
    const edges = await serveEdges({ echo: { echo: (_, call) => Promise.resolve(EchoResponse.create({ note: { text: call.remainingMs() > 2 ** 30 ? 'long' : 'short' } })) } });
    expect((await edges.echoClient().echo(EchoRequest.create(), { timeoutMs: Number.MAX_SAFE_INTEGER })).note?.text).toBe('long');
  });

  test('a call that takes too long ends at the caller too', async () => {
    const { wait } = waiting();
    const edges = await serveEdges({ echo: { echo: (_, call) => wait(call) } });
    await expect(edges.echoClient({ defaultTimeoutMs: 30 }).echo(EchoRequest.create())).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });
});

describe('a server stream', () => {
  test('that its consumer leaves early is cancelled, and the handler cleans up', async () => {
    const cleaned = deferred<string>();
    const edges = await serveEdges({
      echo: {
        async *repeat(_, { signal }) {
          try {
            for (;;) {
              yield RepeatResponse.create();
              await new Promise(setImmediate);
            }
          } finally {
            cleaned.resolve(signal.aborted ? 'aborted' : 'not aborted');
          }
        },
      },
    });
    for await (const _ of edges.echoClient().repeat(RepeatRequest.create())) break;
    expect(await cleaned.promise).toBe('aborted');
  });

  test('is cancelled by the caller\'s signal while the handler waits', async () => {
    const { wait, arrived, ended } = waiting();
    const edges = await serveEdges({ echo: { async *repeat(_, call) { yield RepeatResponse.create(); await wait(call); } } });
    const caller = new AbortController();
    const seen: unknown[] = [];
    const watch = (async () => { for await (const answer of edges.echoClient().repeat(RepeatRequest.create(), { signal: caller.signal })) seen.push(answer); })();
    const cancelled = expect(watch).rejects.toMatchObject({ code: status.CANCELLED });
    await arrived;
    await expect.poll(() => seen).toHaveLength(1);
    caller.abort();
    await cancelled;
    expect(await ended).toMatchObject({ code: status.CANCELLED });
  });

  test('that nobody iterates makes no call', async () => {
    const edges = await serveEdges();
    const client = edges.echoClient();
    client.repeat(RepeatRequest.create());
    expect(client.channelState).toBe('idle');
  });
});

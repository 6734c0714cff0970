import { status } from '@grpc/grpc-js';
import { Authority } from '@leasehold/development-ca';
import { EchoRequest, EchoResponse, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { createRegistry } from '@leasehold/service';
import { describe, expect, test } from 'vitest';
import { accountOf, CallerLimiter, type Admission } from './caller-limiter.js';
import { deferred } from './deferred.fixture.js';
import { ECHO_DOMAIN } from './edges.fixture.js';
import { local, parseIdentity } from './identity.js';
import { holder, name, secureClient, secureServer } from './tls.fixture.js';

const wide = { maxCalls: 1_000, maxStreams: 1_000, callsPerSecond: 1_000 };

describe('one account', () => {
  const setUp = (limits: Partial<typeof wide>) => {
    let nowMs = 0;
    const limiter = new CallerLimiter({ ...wide, ...limits }, () => nowMs);
    return { pass: (ms: number) => { nowMs += ms; }, enter: (stream = false, caller = 'a') => limiter.enter(caller, stream) };
  };
  const admission = (entered: ReturnType<CallerLimiter['enter']>): Admission => {
    if ('limit' in entered) throw new Error(entered.limit);
    return entered;
  };

  test('has so many places, and one that is left is free again; others have their own', () => {
    const { enter } = setUp({ maxCalls: 2 });
    const first = admission(enter());
    admission(enter());
    expect(enter()).toEqual({ limit: 'calls', retryMs: 200 });
    admission(enter(false, 'b'));
    first.leave();
    admission(enter());
  });

  test('has fewer places for streams, which other calls do not take', () => {
    const { enter } = setUp({ maxStreams: 1 });
    const stream = admission(enter(true));
    expect(enter(true)).toEqual({ limit: 'streams', retryMs: 200 });
    admission(enter());
    stream.leave();
    admission(enter(true));
  });

  test('has tokens for two seconds at once, then one for each that comes back, and says when', () => {
    const { enter, pass } = setUp({ callsPerSecond: 10 });
    for (let call = 0; call < 20; call++) admission(enter()).leave();
    expect(enter()).toEqual({ limit: 'rate', retryMs: 100 });
    pass(75);
    expect(enter()).toEqual({ limit: 'rate', retryMs: 25 });
    pass(25);
    admission(enter()).leave();
    pass(60_000);
    for (let call = 0; call < 20; call++) admission(enter()).leave();
    expect(enter()).toMatchObject({ limit: 'rate' });
  });

  test('is kept while its calls are under way, however many callers come and go', () => {
    const { enter, pass } = setUp({ maxCalls: 1 });
    const long = admission(enter());
    for (let caller = 0; caller < 2_000; caller++) {
      admission(enter(false, `caller ${caller}`)).leave();
      pass(10);
    }
    expect(enter()).toMatchObject({ limit: 'calls' });
    long.leave();
    admission(enter());
  });

  test('is of the identity, or over plaintext of the address whatever the port', () => {
    expect(accountOf(local, '127.0.0.1:1234')).toBe(accountOf(local, '127.0.0.1:4321'));
    expect(accountOf(local, '[::1]:1234')).not.toBe(accountOf(local, '127.0.0.1:1234'));
    const worker = parseIdentity(name.worker);
    expect(worker && accountOf(worker, '10.0.0.1:1')).toBe(name.worker);
  });
});

const authority = await Authority.create();

describe('a server', () => {
  const serve = async (callerLimits: typeof wide) => {
    const [arrived, release] = [deferred(), deferred()];
    const registry = createRegistry('tested');
    const server = await secureServer((await holder(authority, { uris: [name.coordinator] })).certificates, {
      callerLimits, registry,
      echo: {
        echo: async ({ note }) => { if (note?.text === 'slow') { arrived.resolve(); await release.promise; } return EchoResponse.create(); },
        async *repeat() { yield RepeatResponse.create(); await release.promise; },
      },
    });
    const client = async (uri: string) => secureClient(server, (await holder(authority, { uris: [uri] })).certificates);
    const limited = async (): Promise<unknown> => (await registry.getSingleMetric('leasehold_rpc_server_limited_total')?.get())?.values.map(({ labels, value }) => [labels['limit'], value]);
    return { arrived, release, limited, greedy: await client(name.worker), modest: await client(name.ingest) };
  };

  test('refuses a caller that takes too many places, says when to come back, and serves all others', async () => {
    const { arrived, release, limited, greedy, modest } = await serve({ ...wide, maxCalls: 1 });
    const slow = greedy.echo(EchoRequest.fromPartial({ note: { text: 'slow' } }));
    await arrived.promise;
    await expect(greedy.echo(EchoRequest.create())).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'CALLER_CALLS', domain: ECHO_DOMAIN, retryDelayMs: 200 });
    await modest.echo(EchoRequest.create());
    release.resolve();
    await slow;
    await greedy.echo(EchoRequest.create());
    expect(await limited()).toEqual([['calls', 1]]);
  });

  test('refuses a caller that opens too many streams, while its other calls are served', async () => {
    const { release, limited, greedy } = await serve({ ...wide, maxStreams: 1 });
    const first = greedy.repeat(RepeatRequest.create())[Symbol.asyncIterator]();
    await first.next();
    await expect(greedy.repeat(RepeatRequest.create())[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'CALLER_STREAMS' });
    await greedy.echo(EchoRequest.create());
    release.resolve();
    expect((await first.next()).done).toBe(true);
    expect(await limited()).toEqual([['streams', 1]]);
  });

  test('refuses a caller that calls too often, and says when the next call can succeed', async () => {
    const { limited, greedy, modest } = await serve({ ...wide, callsPerSecond: 1 });
    await greedy.echo(EchoRequest.create());
    await greedy.echo(EchoRequest.create());
    const refused = await greedy.echo(EchoRequest.create()).catch((fault: unknown) => fault);
    expect(refused).toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'CALLER_RATE' });
    expect(refused).toHaveProperty('retryDelayMs', expect.toSatisfy((ms: number) => ms > 0 && ms <= 1_000));
    await modest.echo(EchoRequest.create());
    expect(await limited()).toEqual([['rate', 1]]);
  });
});

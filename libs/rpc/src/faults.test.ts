import { status } from '@grpc/grpc-js';
import { DiscardRequest, EchoRequest, EchoResponse, EchoServiceService, MirrorRequest, RepeatRequest, RepeatResponse } from '@leasehold/echo-v1';
import { describe, expect, test } from 'vitest';
import { ECHO_DOMAIN, MIRROR_DOMAIN, serveEdges } from './edges.fixture.js';
import { Fault } from './fault.js';
import { faults } from './faults.js';
import { rawUnary } from './raw-call.fixture.js';

const echoFaults = faults(ECHO_DOMAIN);
const request = EchoRequest.create({ note: { text: 'a' } });

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const error: unknown = await call.then(() => new Error('the call succeeded'), (e: unknown) => e);
  if (error instanceof Fault) return error;
  throw error;
}

const partsOf = ({ code, reason, domain, message, metadata, retryDelayMs, violations, fieldViolations }: Fault) =>
  ({ code, reason, domain, message, metadata, retryDelayMs, violations, fieldViolations });

const each: [string, Fault][] = [
  ['invalid', echoFaults.invalid([{ field: 'jobs[3].name', description: 'is no job name' }, { field: 'jobs', description: 'at most 500' }])],
  ['notFound', echoFaults.notFound('JOB_NOT_FOUND', 'no technical record', { job: 'a', kind: 'image' })],
  ['failedPrecondition', echoFaults.failedPrecondition('GATE', 'gate close failed', { violations: [{ type: 'JOB', subject: 'jobs/a', description: 'still QUEUED' }], meta: { gate: 'close' } })],
  ['aborted', echoFaults.aborted('LEASE_LOST', 'stale lease', { fence: '9007199254740993' })],
  ['alreadyExists', echoFaults.alreadyExists('JOB_EXISTS', 'other content')],
  ['exhausted', echoFaults.exhausted('QUEUE_FULL', 'too many', 1500.5)],
  ['unavailable', echoFaults.unavailable('DATABASE_AWAY', 'try again', 30_000)],
  ['internal', echoFaults.internal('a fence is behind')],
  ['deadline', echoFaults.deadline()],
  ['cancelled', echoFaults.cancelled()],
  ['unimplemented', echoFaults.unimplemented()],
  ['with text that headers cannot hold', echoFaults.notFound('JOB_NOT_FOUND', 'Größe 100 %\n"déjà" 🚚', { 'ключ': 'значение' })],
];

describe('a fault reaches the client with every detail', () => {
  test.each(each)('%s', async (_, fault) => {
    const edges = await serveEdges({ echo: { echo: () => Promise.reject(fault) } });
    expect(partsOf(await faultOf(edges.echoClient().echo(request)))).toEqual(partsOf(fault));
  });

  test('also after messages of a stream', async () => {
    const fault = echoFaults.aborted('ENQUEUE_SUPERSEDED', 'a later enqueue');
    const edges = await serveEdges({ echo: { async *repeat() { yield RepeatResponse.create(); yield RepeatResponse.create(); throw fault; } } });
    let seen = 0;
    const watch = async (): Promise<void> => { for await (const _ of edges.echoClient().repeat(RepeatRequest.create())) seen += 1; };
    expect(partsOf(await faultOf(watch()))).toEqual(partsOf(fault));
    expect(seen).toBe(2);
  });

  test('and nothing of it is logged as an error', async () => {
    const edges = await serveEdges({ echo: { echo: () => Promise.reject(echoFaults.notFound('JOB_NOT_FOUND', 'no')) } });
    await faultOf(edges.echoClient().echo(request));
    expect(edges.logged().filter(({ level }) => level !== 'debug')).toEqual([]);
    expect(edges.logged()).toMatchObject([{ event: 'rpc_refused', reason: 'JOB_NOT_FOUND' }]);
  });

  test('in exactly one ErrorInfo on the wire', async () => {
    const edges = await serveEdges({ echo: { echo: () => Promise.reject(echoFaults.exhausted('QUEUE_FULL', 'too many', 200)) } });
    const { details } = await rawUnary(edges.server.address, EchoServiceService.echo, request);
    expect(details).toEqual(['type.googleapis.com/google.rpc.ErrorInfo', 'type.googleapis.com/google.rpc.RetryInfo']);
  });
});

test('a thousand violations still reach the client, cut, with the number of those left out', async () => {
  const violations = Array.from({ length: 1000 }, (_, i) => ({ type: 'JOB', subject: `namespaces/default/kinds/image/jobs/${i}`, description: 'not finished' }));
  const edges = await serveEdges({ echo: { echo: () => Promise.reject(echoFaults.failedPrecondition('GATE', 'x'.repeat(50_000), { violations })) } });
  const fault = await faultOf(edges.echoClient().echo(request));
  const shown = fault.violations ?? [];
  expect(fault.reason).toBe('GATE');
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.at(-1)).toEqual({ type: 'MORE', subject: '', description: `and ${1000 - (shown.length - 1)} more` });
});

describe('UNKNOWN never reaches a client, nor the text of an unknown error', () => {
  const secret = 'password=hunter2 at /srv/secret.ts';
  const statusLike = Object.assign(new Error(secret), { code: status.NOT_FOUND, details: secret });
  const thrown: [string, unknown][] = [
    ['an Error', new Error(secret)],
    ['an error that looks like a status', statusLike],
    ['an object with a code', { code: 2, details: secret }],
    ['a text', secret],
    ['undefined', undefined],
    ['a Fault that says UNKNOWN', new Fault({ code: status.UNKNOWN, reason: 'X', domain: ECHO_DOMAIN, message: secret })],
    ['a Fault that says OK', new Fault({ code: status.OK, reason: 'X', domain: ECHO_DOMAIN, message: secret })],
  ];

  test.each(thrown)('%s', async (_, error) => {
    const edges = await serveEdges({
      echo: { echo: () => Promise.reject(error), repeat: () => { throw error; }, collect: () => Promise.reject(error) },
      mirror: { mirror: () => Promise.reject(error) },
    });
    const client = edges.echoClient();
    const repeat = async (): Promise<void> => { for await (const _ of client.repeat(RepeatRequest.create())); };
    const calls = [client.echo(request), repeat(), client.collect((async function* () {})()), edges.mirrorClient().mirror(MirrorRequest.create())];
    const seen = await Promise.all(calls.map(faultOf));
    expect(seen.map(({ domain }) => domain)).toEqual([ECHO_DOMAIN, ECHO_DOMAIN, ECHO_DOMAIN, MIRROR_DOMAIN]);
    for (const fault of seen) {
      expect(fault).toMatchObject({ code: status.INTERNAL, reason: 'INTERNAL' });
      expect(fault.message).not.toContain('hunter2');
    }
  });

  test('the server logs the error with its stack and the method', async () => {
    const edges = await serveEdges({ echo: { echo: () => Promise.reject(new Error('the table is gone')) } });
    await faultOf(edges.echoClient().echo(request));
    expect(edges.logged()).toMatchObject([{
      level: 'error', event: 'rpc_failed', method: '/leasehold.echo.v1.EchoService/Echo', err: { stack: expect.stringContaining('faults.test.ts') },
    }]);
  });

  test('an answer that its message type cannot hold is INTERNAL, and logged', async () => {
    const malformed = { ...EchoResponse.create(), get note(): undefined { throw new Error(secret); } };
    const edges = await serveEdges({ echo: { echo: () => Promise.resolve(malformed) } });
    const fault = await faultOf(edges.echoClient().echo(request));
    expect(fault).toMatchObject({ code: status.INTERNAL, domain: ECHO_DOMAIN });
    expect(fault.message).not.toContain('hunter2');
    expect(edges.logged()).toMatchObject([{ level: 'error', event: 'rpc_answer_malformed' }]);
  });
});

test('a fault of the way to another server becomes the edge\'s own, one that a server named keeps its name', async () => {
  const transport = new Fault({ code: status.UNAVAILABLE, reason: 'UNAVAILABLE', domain: 'transport', message: 'no connection' });
  const named = faults('lease.leasehold').aborted('LEASE_LOST', 'stale');
  const edges = await serveEdges({ echo: { echo: () => Promise.reject(transport), discard: () => Promise.reject(named) } });
  expect(await faultOf(edges.echoClient().echo(request))).toMatchObject({ code: status.UNAVAILABLE, domain: ECHO_DOMAIN });
  expect(await faultOf(edges.echoClient().discard(DiscardRequest.create()))).toMatchObject({ domain: 'lease.leasehold', reason: 'LEASE_LOST' });
});

test('an error without details names the status and the transport', async () => {
  const edges = await serveEdges();
  const address = edges.server.address;
  await edges.server.stop(AbortSignal.abort());
  expect(await faultOf(edges.echoClient({}, address).echo(request))).toMatchObject({ code: status.UNAVAILABLE, reason: 'UNAVAILABLE', domain: 'transport' });
});

test('a closed client says so', async () => {
  const client = (await serveEdges()).echoClient();
  client.close();
  expect(await faultOf(client.echo(request))).toMatchObject({ code: status.UNAVAILABLE, reason: 'CHANNEL_CLOSED' });
  expect(await faultOf((async () => { for await (const _ of client.repeat(RepeatRequest.create())); })())).toMatchObject({ reason: 'CHANNEL_CLOSED' });
});

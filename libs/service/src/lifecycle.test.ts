import { describe, expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { ManualClock } from './clock.js';
import { type Component, Lifecycle } from './lifecycle.js';

function setUp(o: { phaseTimeoutMs?: number; stopTimeoutMs?: number } = {}) {
  const log = captureLog();
  const clock = new ManualClock();
  const calls: string[] = [];
  const lifecycle = new Lifecycle({ logger: log.logger, phaseTimeoutMs: o.phaseTimeoutMs ?? 10_000, stopTimeoutMs: o.stopTimeoutMs ?? 60_000, clock });
  const part = (name: string, behaviour: Partial<Component> = {}): Component => ({
    name,
    async start() { calls.push(`start ${name}`); await behaviour.start?.(); },
    async stop(deadline) { calls.push(`stop ${name}`); await behaviour.stop?.(deadline); },
  });
  return { log, clock, calls, lifecycle, part };
}

const forever = (): Promise<void> => new Promise(() => undefined);
const clean = { hung: [], failed: [], abandoned: [] };

test('components start in order and stop in the reverse order, once, however often they are asked', async () => {
  const { lifecycle, part, calls } = setUp();
  lifecycle.add(part('a')).add(part('b'));
  await Promise.all([lifecycle.start(), lifecycle.start()]);
  const reports = await Promise.all([lifecycle.stop(), lifecycle.stop({ first: () => { calls.push('too late'); } })]);
  expect(calls).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  expect(reports).toEqual([clean, clean]);
});

test('what is to run first at a stop runs before any component stops', async () => {
  const { lifecycle, part, calls } = setUp();
  await lifecycle.add(part('a')).start();
  await lifecycle.stop({ first: async () => { await Promise.resolve(); calls.push('first'); } });
  expect(calls).toEqual(['start a', 'first', 'stop a']);
});

test('a stop before the start is clean, and nothing starts after it', async () => {
  const { lifecycle, part, calls } = setUp();
  lifecycle.add(part('a'));
  expect(await lifecycle.stop()).toEqual(clean);
  await expect(lifecycle.start()).rejects.toThrow('stopped before it was started');
  expect(calls).toEqual(['stop a']);
});

test('a component cannot be added behind the start', async () => {
  const { lifecycle, part } = setUp();
  await lifecycle.start();
  expect(() => lifecycle.add(part('late'))).toThrow('late was added after the start');
});

test('when a component cannot start, everything is stopped before the error is handed on', async () => {
  const { lifecycle, part, calls, log } = setUp();
  lifecycle.add(part('a')).add(part('b', { start: () => Promise.reject(new Error('no port')) })).add(part('c'));
  await expect(lifecycle.start()).rejects.toThrow('no port');
  expect(calls).toEqual(['start a', 'start b', 'stop c', 'stop b', 'stop a']);
  expect(log.events('component_start_failed')).toMatchObject([{ component: 'b', err: { message: 'no port' } }]);
});

test('a stop during the start waits for the component that is starting and starts no other', async () => {
  const { lifecycle, part, calls } = setUp();
  const { promise, resolve } = deferred();
  lifecycle.add(part('a', { start: () => promise })).add(part('b'));
  const starting = lifecycle.start();
  const stopping = lifecycle.stop();
  expect(calls).toEqual(['start a']);
  resolve();
  await expect(starting).rejects.toThrow('stopped while it was starting');
  expect(await stopping).toEqual(clean);
  expect(calls).toEqual(['start a', 'stop b', 'stop a']);
});

test('a start that takes long is named in the log', async () => {
  const { lifecycle, part, clock, log } = setUp({ phaseTimeoutMs: 5000 });
  const { promise, resolve } = deferred();
  const starting = lifecycle.add(part('database', { start: () => promise })).start();
  await clock.advance(4999);
  expect(log.events('component_start_slow')).toEqual([]);
  await clock.advance(1);
  expect(log.events('component_start_slow')).toMatchObject([{ component: 'database', after_ms: 5000 }]);
  resolve();
  await starting;
  expect(clock.pending).toBe(0);
});

describe('deadlines of a stop', () => {
  test('a component that obeys its deadline is not hung', async () => {
    const { lifecycle, part, clock } = setUp();
    await lifecycle.add(part('obedient', { stop: (deadline) => new Promise((resolve) => { deadline.addEventListener('abort', () => resolve()); }) })).start();
    const stopping = lifecycle.stop();
    await clock.advance(10_000);
    expect(await stopping).toEqual(clean);
    expect(clock.pending).toBe(0);
  });

  test('a component that hangs is named, and those behind it are stopped all the same', async () => {
    const { lifecycle, part, clock, calls, log } = setUp();
    await lifecycle.add(part('behind')).add(part('sticky', { stop: forever })).start();
    const stopping = lifecycle.stop();
    await clock.advance(11_000);
    expect(await stopping).toEqual({ ...clean, hung: ['sticky'] });
    expect(calls).toEqual(['start behind', 'start sticky', 'stop sticky', 'stop behind']);
    expect(log.events('component_stop_hung')).toMatchObject([{ component: 'sticky', level: 'error' }]);
  });

  test('a component that fails in stopping is named, and those behind it are stopped all the same', async () => {
    const { lifecycle, part, calls, log } = setUp();
    await lifecycle.add(part('behind')).add(part('broken', { stop: () => Promise.reject(new Error('torn')) })).start();
    expect(await lifecycle.stop()).toEqual({ ...clean, failed: ['broken'] });
    expect(calls.at(-1)).toBe('stop behind');
    expect(log.events('component_stop_failed')).toMatchObject([{ component: 'broken', err: { message: 'torn' } }]);
  });

  test('the whole stop ends at its own limit, whatever hangs, and asks everybody', async () => {
    const { lifecycle, part, clock, calls } = setUp({ phaseTimeoutMs: 10_000, stopTimeoutMs: 15_000 });
    let askedWith: boolean | undefined;
    lifecycle.add(part('third', { stop: async (deadline) => { askedWith = deadline.aborted; } })).add(part('second', { stop: forever })).add(part('first', { stop: forever }));
    await lifecycle.start();
    let report: unknown;
    void lifecycle.stop().then((r) => { report = r; });
    await clock.advance(14_999);
    expect(report).toBeUndefined();
    await clock.advance(1);
    expect(report).toEqual({ hung: ['first', 'second'], failed: [], abandoned: ['third'] });
    expect(calls.slice(-3)).toEqual(['stop first', 'stop second', 'stop third']);
    expect(askedWith).toBe(true);
  });

  test('what is to run first is bounded too', async () => {
    const { lifecycle, part, clock, calls } = setUp();
    await lifecycle.add(part('a')).start();
    const stopping = lifecycle.stop({ first: forever });
    await clock.advance(11_000);
    expect(await stopping).toEqual({ ...clean, hung: ['before_stop'] });
    expect(calls.at(-1)).toBe('stop a');
  });

  test('a component that never comes up is named', async () => {
    const { lifecycle, part, clock } = setUp();
    void lifecycle.add(part('sleepy', { start: forever })).start();
    const stopping = lifecycle.stop();
    await clock.advance(11_000);
    expect(await stopping).toEqual({ ...clean, hung: ['start of sleepy'] });
  });
});

test('readiness holds from the end of the start to the beginning of the stop, and addresses are known in between', async () => {
  const { lifecycle, part } = setUp();
  const server = { ...part('grpc'), get address() { return '127.0.0.1:7400'; } };
  lifecycle.add(server).add(part('loop'));
  expect(lifecycle.readiness()).toEqual({ name: 'lifecycle', ok: false, detail: 'new' });
  expect(lifecycle.addresses()).toEqual({});
  await lifecycle.start();
  expect(lifecycle.readiness()).toEqual({ name: 'lifecycle', ok: true, detail: 'started' });
  expect(lifecycle.addresses()).toEqual({ grpc: '127.0.0.1:7400' });
  const stopping = lifecycle.stop();
  expect(lifecycle.readiness()).toEqual({ name: 'lifecycle', ok: false, detail: 'stopping' });
  await stopping;
  expect(lifecycle.addresses()).toEqual({});
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((r) => { resolve = r; });
  return { promise, resolve };
}

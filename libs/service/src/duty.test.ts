import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { ManualClock } from './clock.js';
import { Duty } from './duty.js';

function setUp(run: (signal: AbortSignal, nth: number) => Promise<number | void>, everyMs = 1000) {
  const log = captureLog();
  const clock = new ManualClock();
  const registry = new Registry();
  const startedAt: number[] = [];
  const duty = new Duty({
    name: 'expire', everyMs, clock, registry, logger: log.logger,
    run: (signal) => { startedAt.push(clock.now()); return run(signal, startedAt.length); },
  });
  return { log, clock, registry, startedAt, duty };
}

test('the first run comes at once, the next after the interval, counted from the end of the run', async () => {
  const { duty, clock, startedAt } = setUp(() => clock.wait(300));
  await duty.start();
  await clock.advance(2700);
  expect(startedAt).toEqual([0, 1300, 2600]);
  await clock.advance(300);
  await duty.stop();
});

test('a second start starts no second loop', async () => {
  const { duty, clock, startedAt } = setUp(async () => undefined);
  await Promise.all([duty.start(), duty.start()]);
  await clock.advance(1000);
  expect(startedAt).toEqual([0, 1000]);
  await duty.stop();
});

test('any number of wake-ups asks for one run', async () => {
  const { duty, clock, startedAt } = setUp(async () => undefined);
  await duty.start();
  await clock.advance(400);
  for (let i = 0; i < 100; i += 1) duty.wake();
  await clock.advance(599);
  expect(startedAt).toEqual([0, 400]);
  await clock.advance(401);
  expect(startedAt).toEqual([0, 400, 1400]);
  await duty.stop();
});

test('wake-ups during a run ask for one more run, which comes after it', async () => {
  let running = 0;
  const { duty, clock, startedAt } = setUp(async (_signal, nth) => {
    running += 1;
    expect(running).toBe(1);
    if (nth === 1) await clock.wait(50);
    running -= 1;
  });
  await duty.start();
  await clock.advance(10);
  duty.wake();
  duty.wake();
  await clock.advance(40);
  expect(startedAt).toEqual([0, 50]);
  await clock.advance(999);
  expect(startedAt).toEqual([0, 50]);
  await duty.stop();
});

test('a run that says there is more to do is followed by another at once', async () => {
  const { duty, clock, startedAt } = setUp(async (_signal, nth) => (nth < 4 ? 4 - nth : 0));
  await duty.start();
  for (let i = 0; i < 4; i += 1) await clock.advance(0);
  expect(startedAt).toEqual([0, 0, 0, 0]);
  await duty.stop();
});

test('errors are logged and counted, runs are spaced out more and more, and one success ends that', async () => {
  const { duty, clock, startedAt, log, registry } = setUp(async (_signal, nth) => {
    if (nth <= 6 || nth === 8) throw new Error(`failure ${nth}`);
  });
  await duty.start();
  await clock.advance(37_000);
  expect(startedAt).toEqual([0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 36_000, 37_000]);
  expect(log.events('duty_failed').map((line) => [line['duty'], line['errors_in_a_row'], line['retry_in_ms']])).toEqual([
    ['expire', 1, 1000], ['expire', 2, 2000], ['expire', 3, 4000], ['expire', 4, 8000], ['expire', 5, 10_000], ['expire', 6, 10_000], ['expire', 1, 1000],
  ]);
  const metrics = await registry.metrics();
  expect(metrics).toContain('leasehold_duty_runs_total{duty="expire",outcome="error"} 7');
  expect(metrics).toContain('leasehold_duty_runs_total{duty="expire",outcome="ok"} 2');
  await duty.stop();
});

test.each([[100, [0, 100, 300, 700, 1500, 2500]], [60_000, [0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000]]])('a duty of every %i ms is neither hammered nor forgotten after errors', async (everyMs, expected) => {
  const { duty, clock, startedAt } = setUp(() => Promise.reject(new Error('down')), everyMs);
  await duty.start();
  await clock.advance(expected.at(-1) ?? 0);
  expect(startedAt).toEqual(expected);
  await duty.stop();
});

test('wake-ups do not turn an outage into a busy loop', async () => {
  const { duty, clock, startedAt } = setUp(() => Promise.reject(new Error('down')));
  await duty.start();
  for (let i = 0; i < 30; i += 1) {
    await clock.advance(100);
    duty.wake();
  }
  expect(startedAt).toEqual([0, 1000, 3000]);
  await duty.stop();
});

test('a stop aborts the run under way, waits for its end, and counts it neither as error nor as success', async () => {
  let release = (): void => undefined;
  const { duty, clock, startedAt, log, registry } = setUp(async (signal) => {
    await new Promise<void>((resolve) => { signal.addEventListener('abort', () => { release = resolve; }); });
    signal.throwIfAborted();
  });
  await duty.start();
  let stopped = false;
  const stopping = duty.stop().then(() => { stopped = true; });
  await clock.advance(100_000);
  expect(stopped).toBe(false);
  release();
  await stopping;
  await clock.advance(100_000);
  expect(startedAt).toEqual([0]);
  expect(log.events('duty_failed')).toEqual([]);
  expect(await registry.metrics()).not.toContain('duty="expire"');
});

test('a stop ends a wait at once, whether for the next run or after an error', async () => {
  for (const run of [() => Promise.resolve(), () => Promise.reject(new Error('down'))]) {
    const { duty, clock } = setUp(run);
    await duty.start();
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    await duty.stop();
    expect(clock.pending).toBe(0);
  }
});

test('a stop is safe twice and before the start, and a stopped duty does not start', async () => {
  const { duty, startedAt } = setUp(async () => undefined);
  await duty.stop();
  await duty.stop();
  duty.wake();
  await expect(duty.start()).rejects.toThrow('expire was stopped');
  expect(startedAt).toEqual([]);
});

test('an interval of nothing is refused', () => {
  expect(() => setUp(async () => undefined, 0)).toThrow(RangeError);
  expect(() => setUp(async () => undefined, Number.NaN)).toThrow(RangeError);
});

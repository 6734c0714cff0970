import { faults, msOfDuration } from '@leasehold/rpc';
import { ManualClock } from '@leasehold/service';
import { describe, expect, test, vi } from 'vitest';
import { Coordinator, passUntil } from './testing/coordinator.fixture.js';
import { workerOn, type WorkerSettings } from './testing/worker.fixture.js';

const fault = faults('lease.leasehold');

async function started(o: WorkerSettings = {}, twist: (c: Coordinator) => unknown = () => undefined) {
  const clock = new ManualClock();
  const coordinator = await new Coordinator(clock).start();
  twist(coordinator);
  const worker = workerOn([coordinator.client(), coordinator.client()], clock, o);
  await worker.runtime.start();
  return { clock, coordinator, worker, model: coordinator.model };
}

describe('registering', () => {
  test('says what the build reads, under a fresh id', async () => {
    const { coordinator } = await started({ concurrency: 3 });
    const request = await coordinator.nth('registerWorker', 1);
    expect(request).toMatchObject({ build: 'tested@1', concurrency: 3, contracts: [{ kind: 'image', version: 1 }, { kind: 'image', version: 2 }] });
    expect(request.workerId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await started()).coordinator.seen.registerWorker[0]?.workerId).not.toBe(request.workerId);
  });

  test('a lease that is too short for the margin is refused before anything is taken', async () => {
    const clock = new ManualClock();
    const coordinator = await new Coordinator(clock).start();
    const worker = workerOn([coordinator.client()], clock, { marginMs: 501 });
    await expect(worker.runtime.start()).rejects.toThrow('kind image: a lease of 1200 ms does not hold');
    expect(worker.runtime.readiness()).toMatchObject({ ok: false, detail: expect.stringContaining('set the margin to at most 500 ms') });
    await worker.runtime.drained;
    expect(coordinator.seen.acquireLeases).toEqual([]);
    expect(coordinator.model.workers.size).toBe(0);
  });

  test('a start without a coordinator goes on in the background, and readiness says so', async () => {
    const clock = new ManualClock();
    const coordinator = await new Coordinator(clock).start();
    coordinator.next('registerWorker', ...Array.from({ length: 6 }, () => 'lost request' as const));
    const worker = workerOn([coordinator.client()], clock);
    const begun = worker.runtime.start();
    await passUntil(clock, coordinator, () => clock.now() >= 1000);
    await begun;
    expect(worker.runtime.readiness()).toMatchObject({ ok: false, detail: 'no coordinator has answered the registration' });
    await passUntil(clock, coordinator, () => coordinator.model.workers.size === 1);
    await expect.poll(() => worker.runtime.readiness()).toMatchObject({ ok: true });
    expect(new Set(coordinator.seen.registerWorker.map((r) => r.workerId)).size).toBe(1);
  });
});

describe('asking for leases', () => {
  test('goes up to slots and prefetch, and on with each one that is free', async () => {
    const { coordinator, worker, model } = await started({ concurrency: 2, prefetch: 1 });
    expect(await coordinator.nth('acquireLeases', 1)).toMatchObject({ requestSeq: 1n, answeredSeq: 0n, heldFences: [], maxLeases: 3, kind: 'image', contractVersions: [1, 2] });
    model.enqueue({ count: 4 });
    const run = await worker.handler.nth(2);
    expect(await worker.metric('jobs_prefetched')).toBe(1);
    run.finish();
    expect(await coordinator.nth('acquireLeases', 2)).toMatchObject({ requestSeq: 2n, answeredSeq: 1n, maxLeases: 1 });
    await worker.handler.nth(3);
    expect(await worker.metric('jobs_running')).toBe(2);
  });

  test('lists every lease held, settling ones too', async () => {
    const { coordinator, worker, model } = await started({ concurrency: 3 });
    model.enqueue({ count: 2 });
    const run = await worker.handler.nth(1);
    coordinator.next('settleLeases', 'hangs');
    run.finish();
    await coordinator.nth('settleLeases', 1);
    const fences = model.jobs.map((j) => j.lease?.fence);
    await expect.poll(() => coordinator.seen.acquireLeases.at(-1)?.heldFences).toEqual(fences);
  });

  test.each(['lost request', 'lost reply', 'hangs', 'hangs answered'] as const)('a call with the fate "%s" is repeated under its number and spends no attempt', async (twist) => {
    const { clock, coordinator, worker, model } = await started({ concurrency: 2 }, (c) => c.next('acquireLeases', twist));
    model.enqueue({ count: 2 });
    await coordinator.nth('acquireLeases', 1);
    await passUntil(clock, coordinator, () => coordinator.seen.acquireLeases.length >= 2);
    expect(coordinator.seen.acquireLeases.map((r) => [r.requestSeq, r.answeredSeq, r.maxLeases]).slice(0, 2)).toEqual([[1n, 0n, 2], [1n, 0n, 2]]);
    await worker.handler.nth(2);
    expect(worker.handler.runs.map((r) => r.job.attempt)).toEqual([1, 1]);
    expect(model.undelivered).toBe(0);
  });

  test('trust is counted from the sending of the repeat that was answered', async () => {
    const { clock, coordinator, worker, model } = await started({}, (c) => {
      c.next('acquireLeases', 'lost reply');
      c.model.grantedAfterMs = 7;
    });
    model.enqueue();
    await passUntil(clock, coordinator, () => worker.handler.runs.length === 1);
    const { job } = await worker.handler.nth(1);
    // Granted at 0, repeated after the first backoff: what is left of 1200 ms, counted from then.
    expect(clock.now()).toBeGreaterThanOrEqual(100);
    expect(job.trustLeftMs()).toBe(1200 + 7 - 100 - clock.now());
  });

  test('an answer that is too large to be received is given up, and fewer are asked for', async () => {
    const clock = new ManualClock();
    const coordinator = await new Coordinator(clock).start();
    coordinator.model.enqueue({ count: 8, payload: Buffer.alloc(60_000) });
    const worker = workerOn([coordinator.client({ maxReceiveBytes: 200_000 })], clock, { concurrency: 8 });
    await worker.runtime.start();
    await passUntil(clock, coordinator, () => worker.handler.runs.length === 8);
    expect(coordinator.seen.acquireLeases.slice(0, 3).map((r) => [r.requestSeq, r.answeredSeq, r.maxLeases])).toEqual([[1n, 0n, 8], [2n, 1n, 4], [3n, 2n, 2]]);
    expect(worker.handler.runs.map((r) => r.job.attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('a coordinator that lost the declaration gets it again, and then the same number', async () => {
    const { clock, coordinator } = await started({}, (c) => c.next('acquireLeases', fault.failedPrecondition('VERSION_NOT_DECLARED', 'not declared')));
    await passUntil(clock, coordinator, () => coordinator.seen.acquireLeases.length >= 2);
    expect(coordinator.seen.acquireLeases.map((r) => r.requestSeq)).toEqual([1n, 1n]);
    expect(coordinator.seen.registerWorker[1]).toEqual(coordinator.seen.registerWorker[0]);
  });
});

test('after REREGISTER the worker has a new id and new numbers, and keeps what it holds', async () => {
  const { clock, coordinator, worker, model } = await started({ concurrency: 2 });
  model.enqueue();
  const run = await worker.handler.nth(1);
  await coordinator.nth('acquireLeases', 2);
  model.forgetWorkers();
  await passUntil(clock, coordinator, () => coordinator.seen.registerWorker.length === 2);
  const again = await coordinator.nth('registerWorker', 2);
  expect(again.workerId).not.toBe(coordinator.seen.registerWorker[0]?.workerId);
  expect(await coordinator.nth('acquireLeases', 3)).toMatchObject({ workerId: again.workerId, requestSeq: 1n, answeredSeq: 0n, heldFences: [run.job.fence] });
  await clock.advance(400);
  expect(await coordinator.nth('extendLeases', 1)).toMatchObject({ workerId: again.workerId, extensions: [{ enqueueId: run.job.enqueueId }] });
  run.finish();
  expect(await coordinator.nth('settleLeases', 1)).toMatchObject({ workerId: again.workerId });
  await worker.line('job_finished');
  expect(model.jobs[0]?.state).toBe('finished');
});

describe('a prefetched lease', () => {
  test('is handed back when too little is left of the bound on its run', async () => {
    const { clock, coordinator, worker, model } = await started({ prefetch: 1 });
    model.enqueue({ count: 2 });
    await worker.handler.nth(1);
    await vi.waitFor(async () => expect(await worker.metric('jobs_prefetched')).toBe(1));
    await passUntil(clock, coordinator, () => coordinator.seen.settleLeases.length > 0);
    expect(clock.now()).toBeGreaterThanOrEqual(3000);
    expect(coordinator.seen.settleLeases[0]?.settlements).toMatchObject([{ enqueueId: model.jobs[1]?.enqueueId, verb: { $case: 'release', value: { cause: 2 } } }]);
  });

  test('is handed back when its trust has run low', async () => {
    const { clock, coordinator, worker, model } = await started({ prefetch: 1 });
    model.enqueue({ count: 2 });
    await worker.handler.nth(1);
    await vi.waitFor(async () => expect(await worker.metric('jobs_prefetched')).toBe(1));
    coordinator.next('extendLeases', ...Array.from({ length: 50 }, () => 'lost request' as const));
    await passUntil(clock, coordinator, () => coordinator.seen.settleLeases.length > 0);
    expect(clock.now()).toBeLessThan(1100);
    expect(coordinator.seen.settleLeases[0]?.settlements).toMatchObject([{ enqueueId: model.jobs[1]?.enqueueId, verb: { $case: 'release', value: { cause: 2 } } }]);
    expect(worker.handler.runs[0]?.job.signal.aborted).toBe(false);
  });
});

test('leases beyond what was asked for are handed back at once', async () => {
  const { coordinator, worker, model } = await started();
  await coordinator.nth('acquireLeases', 1);
  model.grantsTooMany = 2;
  model.enqueue({ count: 3 });
  await worker.handler.nth(1);
  const { settlements } = await coordinator.nth('settleLeases', 1);
  expect(settlements.map((s) => s.verb)).toEqual([{ $case: 'release', value: { cause: 2 } }, { $case: 'release', value: { cause: 2 } }]);
});

test('a call waits for no longer than its leases could be repeated in time', async () => {
  const { coordinator } = await started({ acquireWaitMs: 20_000 });
  expect(msOfDuration((await coordinator.nth('acquireLeases', 1)).wait)).toBe(400);
});

test('empty answers that come at once are not asked for in a tight loop', async () => {
  const { clock, coordinator } = await started({}, (c) => (c.patient = false));
  await coordinator.nth('acquireLeases', 1);
  await clock.advance(99);
  expect(coordinator.seen.acquireLeases).toHaveLength(1);
  await clock.advance(1);
  await coordinator.nth('acquireLeases', 2);
});

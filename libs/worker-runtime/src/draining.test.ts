import { ManualClock } from '@leasehold/service';
import { WorkerDirective } from '@leasehold/lease-v1';
import { describe, expect, test } from 'vitest';
import { WorkerDraining } from './run/run-aborted.js';
import { Coordinator, passUntil } from './testing/coordinator.fixture.js';
import { workerOn, type WorkerSettings } from './testing/worker.fixture.js';

async function started(o: WorkerSettings = {}) {
  const clock = new ManualClock();
  const coordinator = await new Coordinator(clock).start();
  const worker = workerOn([coordinator.client(), coordinator.client()], clock, o);
  await worker.runtime.start();
  return { clock, coordinator, worker, model: coordinator.model };
}

/** One job runs, one waits for the slot, a third waits in the queue. */
async function busy(o: WorkerSettings = {}, { obedient = true } = {}) {
  const all = await started({ concurrency: 1, prefetch: 1, ...o });
  all.worker.handler.obedient = obedient;
  all.model.enqueue({ count: 3 });
  return { ...all, run: await all.worker.handler.nth(1) };
}

const never = new AbortController().signal;
const released = { $case: 'release', value: { cause: 1 } };

describe('a worker that is stopped', () => {
  test('takes nothing new and hands back what has not started', async () => {
    const { coordinator, worker, model, run } = await busy();
    worker.runtime.drain();
    expect((await coordinator.nth('settleLeases', 1)).settlements).toMatchObject([{ enqueueId: model.jobs[1]?.enqueueId, verb: released }]);
    await worker.line('lease_released');
    const asked = coordinator.seen.acquireLeases.length;
    run.finish();
    await worker.runtime.drained;
    expect(coordinator.seen.acquireLeases).toHaveLength(asked);
    expect(worker.handler.runs).toHaveLength(1);
    expect(model.jobs.map((j) => [j.state, j.attempts])).toEqual([['finished', 1], ['queued', 0], ['queued', 0]]);
  });

  test('lets running jobs finish, and keeps their leases meanwhile', async () => {
    const { clock, coordinator, worker, model, run } = await busy({ drainTimeoutMs: 5000 });
    const stopped = worker.runtime.stop(never);
    await passUntil(clock, coordinator, () => clock.now() >= 4000);
    expect(run.job.signal.aborted).toBe(false);
    run.finish();
    await stopped;
    expect(model.jobs[0]?.state).toBe('finished');
    expect(model.workers.size).toBe(0);
    await worker.line('worker_deregistered');
  });

  test('tells runs to stop when their time is over, and hands their leases back', async () => {
    const { clock, coordinator, worker, model, run } = await busy({ drainTimeoutMs: 2000 });
    const stopped = worker.runtime.stop(never);
    await passUntil(clock, coordinator, () => run.job.signal.aborted);
    expect(clock.now()).toBe(2000);
    expect(run.job.signal.reason).toBeInstanceOf(WorkerDraining);
    await stopped;
    expect(model.jobs[0]).toMatchObject({ state: 'queued', attempts: 0, settled: [{ verb: released }] });
  });

  test('takes a result that comes while the run is told to stop', async () => {
    const { clock, coordinator, worker, model, run } = await busy({ drainTimeoutMs: 500 }, { obedient: false });
    run.job.signal.addEventListener('abort', () => run.finish());
    const stopped = worker.runtime.stop(never);
    await passUntil(clock, coordinator, () => model.jobs[0]?.state === 'finished');
    await stopped;
  });

  test('leaves a handler behind that ignores its signal: its lease is handed back, its late result goes nowhere', async () => {
    const { clock, coordinator, worker, model, run } = await busy({ drainTimeoutMs: 500, abortGraceMs: 200, prefetch: 0 }, { obedient: false });
    const stopped = worker.runtime.stop(never);
    await passUntil(clock, coordinator, () => model.jobs[0]?.state === 'queued');
    expect(clock.now()).toBe(700);
    await worker.line('drain_incomplete');
    await stopped;
    run.finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(model.jobs[0]?.settled).toMatchObject([{ verb: released }]);
    expect(coordinator.seen.settleLeases).toHaveLength(1);
  });

  test('gives the acquire call up that is under way, and what was granted under it goes back at once', async () => {
    const { coordinator, worker, model } = await started({ concurrency: 2 });
    model.enqueue();
    const run = await worker.handler.nth(1);
    await coordinator.nth('acquireLeases', 2);
    coordinator.next('acquireLeases', 'hangs answered');
    model.enqueue();
    const other = await worker.handler.nth(2);
    other.finish();
    await coordinator.nth('acquireLeases', 3);
    model.enqueue();
    await expect.poll(() => model.jobs[2]?.state).toBe('leased');
    const stopped = worker.runtime.stop(never);
    expect(await coordinator.nth('extendLeases', 1)).toMatchObject({ answeredSeq: 3n, heldFences: expect.not.arrayContaining([model.jobs[2]?.lease?.fence]) });
    await expect.poll(() => model.jobs[2]).toMatchObject({ state: 'queued', attempts: 0 });
    expect(model.undelivered).toBe(1);
    run.finish();
    await stopped;
  });

  test('does not take its leave before every settlement was answered', async () => {
    const { clock, coordinator, worker, model, run } = await busy();
    coordinator.next('settleLeases', 'lost request', 'lost request', 'lost request');
    const stopped = worker.runtime.stop(never);
    run.finish();
    await passUntil(clock, coordinator, () => coordinator.seen.deregisterWorker.length > 0);
    expect(model.jobs.map((j) => j.state)).toEqual(['finished', 'queued', 'queued']);
    await stopped;
  });

  test('stops at once when its deadline passes', async () => {
    const { coordinator, worker, run } = await busy();
    const deadline = new AbortController();
    const stopped = worker.runtime.stop(deadline.signal);
    await worker.line('lease_released');
    deadline.abort();
    await stopped;
    expect(run.job.signal.aborted).toBe(true);
    expect(coordinator.seen.deregisterWorker).toEqual([]);
  });

  test('may be stopped twice, and before it was started', async () => {
    const { worker } = await started();
    const stops = [worker.runtime.stop(never), worker.runtime.stop(never)];
    expect(stops[0]).toBe(stops[1]);
    await Promise.all(stops);
    const clock = new ManualClock();
    const idle = workerOn([(await new Coordinator(clock).start()).client()], clock);
    await idle.runtime.stop(never);
    await expect(idle.runtime.start()).rejects.toThrow('stopped before it was started');
  });

  test('leaves no timer behind', async () => {
    const { clock, worker } = await started();
    await worker.runtime.stop(never);
    expect(clock.pending).toBe(0);
  });
});

test('a worker that is told to drain does so, and says when it is done', async () => {
  const { clock, coordinator, worker, model, run } = await busy();
  model.direct(WorkerDirective.DRAIN);
  await clock.advance(400);
  await worker.line('worker_draining');
  expect(worker.runtime.readiness()).toMatchObject({ ok: false, detail: 'draining, 1 running' });
  run.finish();
  await worker.runtime.drained;
  expect(model.jobs.map((j) => j.state)).toEqual(['finished', 'queued', 'queued']);
  expect(coordinator.seen.deregisterWorker).toHaveLength(1);
});

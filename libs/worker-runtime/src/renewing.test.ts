import { ManualClock } from '@leasehold/service';
import { describe, expect, test } from 'vitest';
import { JobCancelled, LeaseLost, LeaseUntrusted } from './run/run-aborted.js';
import { Coordinator, passUntil } from './testing/coordinator.fixture.js';
import { workerOn, type WorkerSettings } from './testing/worker.fixture.js';

/** Two coordinators over one queue, and a worker with a connection to each. */
async function started(o: WorkerSettings = {}) {
  const clock = new ManualClock();
  const coordinator = await new Coordinator(clock).start();
  const other = await new Coordinator(clock, coordinator.model).start();
  const worker = workerOn([coordinator.client(), other.client()], clock, o);
  await worker.runtime.start();
  return { clock, coordinator, other, worker, model: coordinator.model };
}

test('a worker that holds nothing gives a sign of life every third of the lease time', async () => {
  const { clock, coordinator } = await started();
  await coordinator.nth('acquireLeases', 1);
  await clock.advance(399);
  expect(coordinator.seen.extendLeases).toEqual([]);
  await clock.advance(1);
  expect(await coordinator.nth('extendLeases', 1)).toMatchObject({ extensions: [], heldFences: [] });
});

test('one heartbeat extends every lease, and lists every fence', async () => {
  const { clock, coordinator, worker, model } = await started({ concurrency: 1, prefetch: 1 });
  model.enqueue({ count: 2 });
  await worker.handler.nth(1);
  await clock.advance(400);
  const { extensions, heldFences, answeredSeq } = await coordinator.nth('extendLeases', 1);
  expect(extensions.map((e) => e.enqueueId)).toEqual(model.jobs.map((j) => j.enqueueId));
  expect(heldFences).toEqual(model.jobs.map((j) => j.lease?.fence));
  expect(answeredSeq).toBe(1n);
});

test('leases are kept for as long as the run takes', async () => {
  const { clock, coordinator, worker, model } = await started();
  model.enqueue();
  const run = await worker.handler.nth(1);
  await passUntil(clock, coordinator, () => clock.now() >= 5000);
  expect(run.job.signal.aborted).toBe(false);
  run.finish();
  await expect.poll(() => model.jobs[0]?.state).toBe('finished');
});

describe('a heartbeat that is not answered', () => {
  test('is given a quarter of the lease, then goes to another connection, and trust is counted from there', async () => {
    const { clock, coordinator, other, worker, model } = await started();
    model.enqueue();
    const { job } = await worker.handler.nth(1);
    coordinator.next('extendLeases', 'hangs');
    await clock.advance(400);
    await coordinator.nth('extendLeases', 1);
    await clock.advance(299);
    expect(other.seen.extendLeases).toEqual([]);
    await clock.advance(1);
    expect(await other.nth('extendLeases', 1)).toMatchObject({ extensions: [{ enqueueId: job.enqueueId }] });
    await expect.poll(() => job.trustLeftMs()).toBe(1100);
    expect(await worker.metric('renew_failures_total')).toBe(1);
  });

  test('does not count: trust ends where it would have', async () => {
    const { clock, coordinator, other, worker, model } = await started();
    model.enqueue();
    const { job } = await worker.handler.nth(1);
    for (const c of [coordinator, other]) c.next('extendLeases', 'hangs answered', 'hangs answered', 'hangs answered');
    await clock.advance(1099);
    expect(job.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(job.signal.aborted).toBe(true);
  });
});

describe('when trust ends', () => {
  async function untrusted(obedient: boolean) {
    const all = await started();
    all.worker.handler.obedient = obedient;
    all.model.enqueue();
    const run = await all.worker.handler.nth(1);
    for (const c of [all.coordinator, all.other]) c.next('extendLeases', 'hangs', 'hangs', 'hangs');
    await all.clock.advance(1100);
    return { ...all, run };
  }

  test('the signal fires with a typed reason, and the event is logged', async () => {
    const { worker, run } = await untrusted(true);
    expect(run.job.signal.reason).toBeInstanceOf(LeaseUntrusted);
    expect(run.job.signal.reason).toMatchObject({ runBoundReached: false });
    expect(run.job.trustLeftMs()).toBe(0);
    expect(await worker.line('lease_untrusted')).toMatchObject({ job_id: run.job.jobId, fence: String(run.job.fence), run_bound_reached: false });
    expect(await worker.metric('lease_lost_total', { reason: 'untrusted' })).toBe(1);
  });

  test('a result that comes later is not settled as complete', async () => {
    const { clock, coordinator, worker, model, run } = await untrusted(false);
    run.finish();
    await passUntil(clock, coordinator, () => worker.logged('job_finished').length > 0);
    expect(model.jobs[0]?.settled.map((s) => s.verb)).toEqual([{ $case: 'fail', value: { reason: 'INTERNAL', faultClass: 2 } }]);
  });

  test('it is not extended any more, so that others can have the job', async () => {
    const { clock, coordinator, other } = await untrusted(false);
    await passUntil(clock, coordinator, () => coordinator.seen.extendLeases.length + other.seen.extendLeases.length >= 8);
    expect(other.seen.extendLeases.at(-1)?.extensions).toEqual([]);
    expect(coordinator.seen.extendLeases.at(-1)?.extensions).toEqual([]);
  });
});

test('a run that reaches its bound is told so, however well it is extended', async () => {
  const { clock, coordinator, worker, model } = await started();
  model.enqueue();
  const { job } = await worker.handler.nth(1);
  await passUntil(clock, coordinator, () => job.signal.aborted);
  expect(Math.abs(clock.now() - 5900)).toBeLessThanOrEqual(20);
  expect(job.signal.reason).toMatchObject({ runBoundReached: true });
  await expect.poll(() => model.jobs[0]?.settled.map((s) => s.verb?.$case)).toEqual(['fail']);
});

describe('a job that the heartbeat finds gone', () => {
  test.each([
    { verdict: 'CANCELLED', reason: JobCancelled, outcome: 'cancelled' },
    { verdict: 'LOST', reason: LeaseLost, outcome: 'lost' },
  ])('$verdict stops its run, settles nothing, and leaves others alone', async ({ verdict, reason, outcome }) => {
    const { clock, coordinator, worker, model } = await started({ concurrency: 2 });
    const [gone] = model.enqueue({ count: 2 });
    const [first, second] = [await worker.handler.nth(1), await worker.handler.nth(2)];
    if (gone === undefined) throw new Error('no job');
    if (verdict === 'CANCELLED') model.cancel(gone);
    else model.void(gone);
    await clock.advance(400);
    await expect.poll(() => first.job.signal.aborted).toBe(true);
    expect(first.job.signal.reason).toBeInstanceOf(reason);
    expect(second.job.signal.aborted).toBe(false);
    expect(await worker.line('lease_lost')).toMatchObject({ job_id: first.job.jobId, verb: 'extend' });
    second.finish();
    const { settlements } = await coordinator.nth('settleLeases', 1);
    expect(settlements.map((s) => s.enqueueId)).toEqual([second.job.enqueueId]);
    expect(await worker.metric('jobs_total', { outcome })).toBe(1);
    expect(coordinator.seen.acquireLeases.at(-1)?.heldFences).not.toContain(first.job.fence);
  });
});

test('progress goes with a heartbeat soon, and once', async () => {
  const { clock, coordinator, worker, model } = await started({ progressEveryMs: 100 });
  model.enqueue();
  const { job } = await worker.handler.nth(1);
  job.progress(33.4, 'decoding', { items: 7, bytes: 512, bytesTotal: 4096 });
  await clock.advance(100);
  expect((await coordinator.nth('extendLeases', 1)).extensions).toMatchObject([{ progress: { percent: 33, stage: 'decoding', items: 7n, bytes: 512n, bytesTotal: 4096n } }]);
  await passUntil(clock, coordinator, () => coordinator.seen.extendLeases.length === 2);
  expect((await coordinator.nth('extendLeases', 2)).extensions).toMatchObject([{ progress: undefined }]);
});

test('a handler that ignores its signal keeps its slot, holds nobody else up, and is reported', async () => {
  const { clock, coordinator, worker, model } = await started({ concurrency: 2, stuckAfterMs: 1000 });
  worker.handler.obedient = false;
  const [gone] = model.enqueue({ count: 3 });
  const [stubborn, good] = [await worker.handler.nth(1), await worker.handler.nth(2)];
  if (gone === undefined) throw new Error('no job');
  model.cancel(gone);
  await passUntil(clock, coordinator, () => stubborn.job.signal.aborted);
  await passUntil(clock, coordinator, () => worker.logged('run_stuck').length > 0);
  expect(await worker.line('run_stuck')).toMatchObject({ job_id: stubborn.job.jobId, stopped: 'cancelled', since_ms: 1000 });
  expect(await worker.metric('jobs_running')).toBe(2);
  expect(await worker.metric('runs_stuck')).toBe(1);
  expect(worker.handler.runs).toHaveLength(2);
  expect(good.job.signal.aborted).toBe(false);
  stubborn.finish();
  await worker.handler.nth(3);
  expect(await worker.metric('runs_stuck')).toBe(0);
});

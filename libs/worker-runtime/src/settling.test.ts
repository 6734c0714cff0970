import { faults } from '@leasehold/rpc';
import { ManualClock } from '@leasehold/service';
import { describe, expect, test } from 'vitest';
import { JobFault } from './run/job-fault.js';
import { Coordinator, passUntil, type Twist } from './testing/coordinator.fixture.js';
import { workerOn, type WorkerSettings } from './testing/worker.fixture.js';

async function started({ leaseTtlMs = 1200, ...o }: WorkerSettings & { leaseTtlMs?: number } = {}) {
  const clock = new ManualClock();
  const coordinator = await new Coordinator(clock).start();
  Object.assign(coordinator.model, { leaseTtlMs, maxRunMs: 5 * leaseTtlMs });
  const worker = workerOn([coordinator.client(), coordinator.client()], clock, o);
  await worker.runtime.start();
  return { clock, coordinator, worker, model: coordinator.model };
}

async function running(o: WorkerSettings & { leaseTtlMs?: number; payload?: string; version?: number } = {}) {
  const { payload = 'payload', version = 1, ...settings } = o;
  const all = await started(settings);
  all.model.enqueue({ payload: Buffer.from(payload), version });
  return { ...all, run: await all.worker.handler.nth(1) };
}

describe('a run that returns', () => {
  test('completes its job, once, with its bytes', async () => {
    const { worker, model, run } = await running();
    run.finish('done');
    expect(await worker.line('job_finished')).toMatchObject({ job_id: run.job.jobId, fence: String(run.job.fence), attempt: 1, outcome: 'succeeded', run_ms: 0 });
    expect(model.jobs[0]).toMatchObject({ state: 'finished', settled: [{ verb: { $case: 'complete', value: { result: Buffer.from('done') } } }] });
    expect(await worker.metric('jobs_total', { kind: 'image', version: '1', outcome: 'succeeded' })).toBe(1);
  });

  test('has seen the newest model, and its result is down-converted to the version of its job', async () => {
    const { model, run } = await running({ version: 2 });
    expect(run.job.model).toBe('up-converted payload');
    expect(run.job.contractVersion).toBe(2);
    run.finish('done');
    await expect.poll(() => model.jobs[0]?.settled[0]?.verb).toEqual({ $case: 'complete', value: { result: Buffer.from('down-converted done') } });
  });

  test('fails its job when the result is larger than the edge allows', async () => {
    const { model, worker, run } = await running();
    run.finish('x'.repeat(256 * 1024 + 1));
    await worker.line('job_result_too_large');
    await expect.poll(() => model.jobs[0]?.settled[0]?.verb).toEqual({ $case: 'fail', value: { reason: 'INTERNAL', faultClass: 2 } });
  });
});

describe('a run that throws', () => {
  test.each([['content', 1], ['technical', 2]] as const)('a JobFault fails its job with reason and class (%s)', async (faultClass, onTheWire) => {
    const { model, run } = await running();
    run.fail(new JobFault('CORRUPT', faultClass, 'bytes 17 to 23'));
    await expect.poll(() => model.jobs[0]?.settled[0]?.verb).toEqual({ $case: 'fail', value: { reason: 'CORRUPT', faultClass: onTheWire } });
  });

  test('anything else fails its job as INTERNAL; stack and text stay in the log', async () => {
    const { coordinator, worker, run } = await running();
    run.fail(new Error('cannot open /srv/private'));
    expect(await worker.line('job_threw')).toMatchObject({ level: 'error', job_id: run.job.jobId, err: { message: 'cannot open /srv/private', stack: expect.stringContaining('settling.test') } });
    const request = await coordinator.nth('settleLeases', 1);
    expect(request.settlements).toMatchObject([{ verb: { $case: 'fail', value: { reason: 'INTERNAL', faultClass: 2 } } }]);
    expect(JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('private');
  });
});

test('a payload that this build cannot read is handed back as such, without a run', async () => {
  const { worker, model } = await started();
  model.enqueue({ payload: Buffer.from('unreadable') });
  await expect.poll(() => model.jobs[0]?.settled[0]?.verb).toEqual({ $case: 'release', value: { cause: 3 } });
  expect(worker.handler.runs).toEqual([]);
});

describe('a settlement whose answer is lost', () => {
  test.each<Twist>(['lost request', 'lost reply', 'hangs', 'hangs answered', faults('lease.leasehold').internal('a bug')])('is repeated word by word until it is answered, and held until then (%s)', async (twist) => {
    const { clock, coordinator, worker, model, run } = await running({ concurrency: 2 });
    coordinator.next('settleLeases', twist, twist);
    run.finish('done');
    await passUntil(clock, coordinator, () => model.jobs[0]?.state === 'finished' && worker.logged('job_finished').length === 1);
    expect(coordinator.seen.settleLeases).toHaveLength(3);
    for (const repeat of coordinator.seen.settleLeases) expect(repeat).toEqual(coordinator.seen.settleLeases[0]);
    const listed = coordinator.seen.extendLeases.filter((r) => r.answeredSeq > 0n).map((r) => r.heldFences);
    expect(listed).toEqual(listed.map(() => [run.job.fence]));
    expect(model.jobs[0]?.settled).toHaveLength(1);
  });

  test('is given up once the coordinator may have forgotten the first, 15 minutes later, and says so', async () => {
    const { clock, coordinator, worker, run } = await running({ leaseTtlMs: 600_000 });
    coordinator.next('settleLeases', ...Array.from({ length: 500 }, () => 'hangs' as const));
    run.finish();
    await passUntil(clock, coordinator, () => worker.logged('settlement_unanswered').length > 0, 5000);
    expect(clock.now()).toBeGreaterThan(14 * 60_000);
    expect(clock.now()).toBeLessThanOrEqual(15 * 60_000 + 5000);
    expect(await worker.metric('jobs_total', { outcome: 'unanswered' })).toBe(1);
  });

  test('holds no other settlement up', async () => {
    const { clock, coordinator, worker, model, run } = await running({ concurrency: 2 });
    model.enqueue();
    const other = await worker.handler.nth(2);
    coordinator.next('settleLeases', 'hangs');
    run.finish();
    await coordinator.nth('settleLeases', 1);
    other.finish();
    expect((await coordinator.nth('settleLeases', 2)).settlements).toMatchObject([{ enqueueId: other.job.enqueueId }]);
    await expect.poll(() => model.jobs[1]?.state).toBe('finished');
    expect(clock.now()).toBe(0);
  });
});

test('a settlement that is refused because the lease is lost is logged as such and not repeated', async () => {
  const { worker, coordinator, model, run } = await running();
  const [job] = model.jobs;
  if (job === undefined) throw new Error('no job');
  model.void(job);
  run.finish();
  expect(await worker.line('lease_lost')).toMatchObject({ job_id: run.job.jobId, fence: String(run.job.fence), verb: 'complete', answer: 'lease_lost', current_fence: '0' });
  expect(await worker.metric('jobs_total', { outcome: 'refused' })).toBe(1);
  expect(coordinator.seen.settleLeases).toHaveLength(1);
});

test('when a call is refused as a whole, its settlements go on one by one', async () => {
  const { clock, coordinator, worker, model, run } = await running({ concurrency: 2 });
  model.enqueue();
  const other = await worker.handler.nth(2);
  coordinator.next('settleLeases', faults('lease.leasehold').invalid([{ field: 'settlements[0]', description: 'wrong' }]));
  run.finish();
  other.finish();
  await passUntil(clock, coordinator, () => worker.logged('job_finished').length === 2);
  expect(coordinator.seen.settleLeases.map((r) => r.settlements.length)).toEqual([2, 1, 1]);
});

test('no line of the log holds a lease token, a payload or a result', async () => {
  const { worker, run } = await running({ payload: 'secret-payload' });
  run.finish('secret-result');
  await worker.line('job_finished');
  const log = JSON.stringify(worker.logged());
  for (const secret of ['token-', Buffer.from('token-').toString('base64').slice(0, 8), 'secret-']) expect(log).not.toContain(secret);
});

import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { ContractState, GateVerdict, WorkerState, type GetContractResponse, type WatchDrainResponse } from '@leasehold/rollout-v1';
import { Fault } from '@leasehold/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { complete, digestOf, enqueueOne, failContent, failTechnical, getJob, jobName, only, QueueUnderTest, release, spec, WorkerUnderTest, type CoordinatorUnderTest } from '../testing/queue-under-test.js';

let queue: QueueUnderTest;
let one: CoordinatorUnderTest;
let two: CoordinatorUnderTest;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
  one = await queue.coordinator();
  two = await queue.coordinator();
});
beforeEach(async () => {
  await queue.reset();
  await queue.sql.query("update kind_policies set dispatcher = 'postgres' where kind = 'image'");
});
afterAll(() => queue.close());

const v1 = 'kinds/image/contracts/1';
const v2 = 'kinds/image/contracts/2';
const plain = { etag: '', validateOnly: false, forceReason: '', actor: 'ada' };
const refusal = async (call: Promise<unknown>): Promise<{ reason: string; violations: string[]; metadata: Readonly<Record<string, string>> }> => {
  const fault: unknown = await call.then(() => undefined, (error: unknown) => error);
  if (!(fault instanceof Fault)) throw new Error(`expected a refusal, got ${String(fault)}`);
  return { reason: fault.reason, violations: (fault.violations ?? []).map(({ type, subject }) => `${type} ${subject}`), metadata: fault.metadata ?? {} };
};
const producer = (versions: number[], name = 'ingest-a') => one.queue.getContractShares({ kind: 'image', producer: name, build: `ingest@${versions.join('+')}`, writes: versions, reads: versions });
const shares = async (versions: number[]): Promise<Record<number, number>> =>
  Object.fromEntries((await two.queue.getContractShares({ kind: 'image', producer: 'asks', build: 'asks', writes: versions, reads: [1, 2] })).shares.map((s) => [s.contractVersion, s.percent]));
const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await two.rollout.listContracts({ parent: 'kinds/image' })).contracts.map(({ contract }) => [contract?.name.split('/').at(-1) ?? '', `${contract?.state} ${contract?.sharePercent}`]));
const status = (name = v1): Promise<GetContractResponse> => one.rollout.getContract({ name });

/** image@2 announced and open, beside a fleet and a producer that read both. */
async function opened(): Promise<WorkerUnderTest> {
  const worker = await new WorkerUnderTest('worker@1+2').register(one, [1, 2]);
  await producer([1, 2]);
  await one.rollout.announceContract({ name: v2, descriptorDigest: digestOf('v2'), actor: 'ada' });
  await one.rollout.openContract({ name: v2, minWorkers: 1, step: plain });
  return worker;
}

/** image@1 closed, as after a whole rollout. */
async function closed(): Promise<WorkerUnderTest> {
  const worker = await opened();
  await one.rollout.setPreferredContract({ name: v2, percent: 100, step: plain });
  await one.rollout.closeContract({ name: v1, step: plain });
  return worker;
}

describe('a rollout', () => {
  test('goes from version to version by its steps, and each is in the audit log', async () => {
    await closed();
    await one.rollout.retireContract({ name: v1, step: plain });
    expect(await states()).toEqual({ 1: `${ContractState.RETIRED} 0`, 2: `${ContractState.OPEN} 100` });
    const { events } = await two.rollout.listAuditEvents({ pageSize: 0, pageToken: '', subject: '' });
    expect(events.map(({ action, subject, actor }) => [action, subject, actor]).toReversed()).toEqual([
      ['contract_announced', 'image@2', 'ada'], ['contract_opened', 'image@2', 'ada'], ['contract_preferred', 'image@2', 'ada'], ['contract_closed', 'image@1', 'ada'], ['contract_retired', 'image@1', 'ada'],
    ]);
  });

  test('goes back: what was closed is opened again and preferred', async () => {
    await closed();
    await one.rollout.reopenContract({ name: v1, step: plain });
    await one.rollout.setPreferredContract({ name: v1, percent: 100, step: plain });
    expect(await states()).toEqual({ 1: `${ContractState.OPEN} 100`, 2: `${ContractState.OPEN} 0` });
  });

  test('V4: a rollback to a build that does not read what is there is refused, with the job that it would strand; once nothing of it is left it may go', async () => {
    const current = await opened();
    const build = (reads: string[]) => one.rollout.checkGate({ gate: { $case: 'build', value: { candidate: { build: 'worker@1', reads }, replaces: 'worker@1+2' } } }).then(({ gate }) => gate);
    await enqueueOne(one, 'a', { contractVersion: 2 });
    expect(await build(['image@1'])).toMatchObject({ verdict: GateVerdict.FAIL, findings: [{ code: 'LOSES_READER', subject: jobName('a') }] });
    expect(await build(['image@1', 'image@2'])).toMatchObject({ verdict: GateVerdict.PASS });
    await current.settle(one, complete(only(await current.acquire(one, { contractVersions: [2] }))));
    await one.rollout.closeContract({ name: v2, step: plain });
    expect(await build(['image@1'])).toMatchObject({ verdict: GateVerdict.PASS });
  });

  test('V2: the order is enforced: a version is not opened before workers and producers read it', async () => {
    await one.rollout.announceContract({ name: v2, descriptorDigest: digestOf('v2'), actor: '' });
    const old = await new WorkerUnderTest('worker@1').register(one, [1]);
    await producer([1]);
    const open = () => one.rollout.openContract({ name: v2, minWorkers: 1, step: plain });
    expect(await refusal(open())).toMatchObject({ reason: 'GATE_FAILED', violations: ['NO_READER image@2', 'PRODUCER_CANNOT_READ producers/ingest-a'], metadata: { next_command_1: 'leasehold workers list --kind image' } });
    await new WorkerUnderTest('worker@1+2').register(one, [1, 2]);
    expect((await refusal(open())).violations).toEqual(['PRODUCER_CANNOT_READ producers/ingest-a']);
    await producer([1, 2]);
    expect((await open()).contract).toMatchObject({ state: ContractState.OPEN, sharePercent: 0 });
    expect(old.build).toBe('worker@1');
  });

  test('a step that was taken already answers the same; one that does not start from here is refused', async () => {
    await opened();
    expect((await two.rollout.openContract({ name: v2, minWorkers: 1, step: plain })).contract?.state).toBe(ContractState.OPEN);
    expect(await refusal(one.rollout.retireContract({ name: v2, step: plain }))).toMatchObject({ reason: 'CONTRACT_STATE' });
    expect(await refusal(one.rollout.reopenContract({ name: 'kinds/image/contracts/9', step: plain }))).toMatchObject({ reason: 'CONTRACT_NOT_FOUND' });
  });

  test('a step that was decided on an older look is refused, and one that is only tried changes nothing', async () => {
    await opened();
    const etag = (await status(v2)).contract?.etag ?? '';
    expect((await one.rollout.setPreferredContract({ name: v2, percent: 30, step: { ...plain, validateOnly: true } })).contract?.sharePercent).toBe(30);
    expect((await status(v2)).contract).toMatchObject({ sharePercent: 0, etag });
    await one.rollout.setPreferredContract({ name: v2, percent: 10, step: { ...plain, etag } });
    expect(await refusal(one.rollout.setPreferredContract({ name: v2, percent: 20, step: { ...plain, etag } }))).toMatchObject({ reason: 'ETAG_MISMATCH' });
    expect(await shares([1, 2])).toEqual({ 1: 90, 2: 10 });
  });

  test('forcing takes a reason, which the audit log keeps with what was overruled', async () => {
    await one.rollout.announceContract({ name: v2, descriptorDigest: digestOf('v2'), actor: '' });
    const { gate } = await one.rollout.openContract({ name: v2, minWorkers: 1, step: { ...plain, forceReason: 'a drill' } });
    expect(gate?.verdict).toBe(GateVerdict.FAIL);
    const { events: [event] } = await one.rollout.listAuditEvents({ pageSize: 1, pageToken: '', subject: 'image@2' });
    expect(event).toMatchObject({ action: 'contract_opened', forced: true, actor: 'ada', detail: expect.stringContaining('NO_READER image@2') });
    expect(event?.detail).toContain('a drill');
  });

  test('a version is never redefined: another digest is refused, the same is a repeat', async () => {
    const announce = (text: string) => one.rollout.announceContract({ name: v2, descriptorDigest: digestOf(text), actor: '' });
    await announce('v2');
    expect((await announce('v2')).contract?.state).toBe(ContractState.ANNOUNCED);
    expect(await refusal(announce('other'))).toMatchObject({ reason: 'CONTRACT_EXISTS' });
    expect(await refusal(one.rollout.announceContract({ name: 'kinds/video/contracts/1', descriptorDigest: digestOf('v1'), actor: '' }))).toMatchObject({ reason: 'KIND_NOT_FOUND' });
  });

  test('a version that a migration announced without a digest takes the first that is given, and then no other', async () => {
    await queue.sql.query("insert into contracts (kind, version, state) values ('image', 2, 'announced')");
    const announce = (text: string) => one.rollout.announceContract({ name: v2, descriptorDigest: digestOf(text), actor: 'ada' });
    expect((await announce('v2')).contract).toMatchObject({ state: ContractState.ANNOUNCED, descriptorDigest: digestOf('v2') });
    expect(await refusal(announce('other'))).toMatchObject({ reason: 'CONTRACT_EXISTS' });
    expect((await one.rollout.listAuditEvents({ pageSize: 0, pageToken: '', subject: 'image@2' })).events.map(({ action }) => action)).toEqual(['contract_announced']);
  });

  test('steps of two engineers at once are taken one after the other, and the shares still add up to 100', async () => {
    await opened();
    const percents = [10, 90, 35, 60, 5, 100, 0, 45];
    await Promise.all(percents.map((percent, i) => (i % 2 === 0 ? one : two).rollout.setPreferredContract({ name: v2, percent, step: plain })));
    const { 1: first = 0, 2: second = 0 } = await shares([1, 2]);
    expect(percents).toContain(second);
    expect(first + second).toBe(100);
  });
});

describe('what a producer is told', () => {
  test('is its share of the open versions that it writes, and nothing once they are closed', async () => {
    await opened();
    await one.rollout.setPreferredContract({ name: v2, percent: 10, step: plain });
    expect([await shares([1, 2]), await shares([1]), await shares([2])]).toEqual([{ 1: 90, 2: 10 }, { 1: 100 }, { 2: 100 }]);
    await one.rollout.closeContract({ name: v1, step: { ...plain, forceReason: 'a drill' } });
    expect([await shares([1, 2]), await shares([1])]).toEqual([{ 2: 100 }, {}]);
  });

  test('one who only pulls outcomes counts as writing what it reads: a build of before the rollout is seen too', async () => {
    await new WorkerUnderTest('worker@1+2').register(one, [1, 2]);
    await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 1, wait: undefined, producer: '' });
    await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1, 2], maxOutcomes: 1, wait: undefined, producer: 'named' });
    expect((await status()).producers).toMatchObject([{ producer: 'local (reads 1)', writes: [1], reads: [1] }]);
    await one.rollout.announceContract({ name: v2, descriptorDigest: digestOf('v2'), actor: '' });
    expect((await refusal(one.rollout.openContract({ name: v2, minWorkers: 1, step: plain }))).violations).toEqual(['PRODUCER_CANNOT_READ producers/local (reads 1)']);
  });

  test('once close has answered no job of the version appears, whatever was under way', async () => {
    await opened();
    await one.rollout.setPreferredContract({ name: v2, percent: 100, step: plain });
    let closedAt = false;
    const enqueueing = Array.from({ length: 40 }, async (_, i) => {
      const { verdict } = only((await (i % 2 === 0 ? one : two).queue.enqueueJobs({ jobs: [spec(`late-${i}`)] })).results);
      return { verdict, after: closedAt };
    });
    await one.rollout.closeContract({ name: v1, step: plain });
    closedAt = true;
    const left = (await status()).left?.total;
    const results = await Promise.all(enqueueing);
    expect((await status()).left?.total).toBe(left);
    expect(results.filter(({ verdict }) => verdict === EnqueueVerdict.ENQUEUED).length).toBe(Number(left));
  });
});

describe('retire is blocked by one job alone', () => {
  const blocked = async (): Promise<void> => {
    expect((await refusal(one.rollout.retireContract({ name: v1, step: plain }))).violations).toEqual([`JOBS_LEFT ${jobName('a')}`]);
  };
  /** Makes the job first, then closes the version over it. */
  const closeOver = async (prepare: () => Promise<unknown>): Promise<void> => {
    await prepare();
    await closed();
  };

  test('that is queued', async () => {
    await closeOver(() => enqueueOne(one, 'a'));
    await blocked();
    expect((await status()).left).toMatchObject({ total: 1n, due: 1n });
  });

  test('that is due in the future', async () => {
    await closeOver(() => enqueueOne(one, 'a', { delay: { seconds: 3_600n, nanos: 0 } }));
    await blocked();
    expect((await status()).left).toMatchObject({ total: 1n, scheduled: 1n });
  });

  test('that is leased', async () => {
    const worker = new WorkerUnderTest();
    await closeOver(async () => {
      await enqueueOne(one, 'a');
      await worker.register(one, [1, 2]);
      await worker.acquire(one);
    });
    await blocked();
    expect((await status()).left).toMatchObject({ total: 1n, leased: 1n });
  });

  test('that waits to retry', async () => {
    const worker = new WorkerUnderTest();
    await closeOver(async () => {
      await enqueueOne(one, 'a');
      await worker.register(one, [1, 2]);
      await worker.settle(one, failTechnical(only(await worker.acquire(one))));
    });
    await blocked();
    expect((await status()).left).toMatchObject({ total: 1n, retrying: 1n });
  });

  test('that is not relayed to its dispatcher yet', async () => {
    await closeOver(() => enqueueOne(one, 'a'));
    await queue.sql.query("update kind_policies set dispatcher = 'bullmq' where kind = 'image'; update jobs set dispatched_at = null");
    await blocked();
    expect((await status()).left).toMatchObject({ total: 1n, undispatched: 1n, due: 0n });
  });

  test('that was relayed and is lost from the dispatcher: the row counts, whatever Redis says', async () => {
    await closeOver(() => enqueueOne(one, 'a'));
    await queue.sql.query("update kind_policies set dispatcher = 'bullmq' where kind = 'image'");
    await blocked();
  });

  test('of which the outcome is not acknowledged', async () => {
    const worker = new WorkerUnderTest();
    await closeOver(async () => {
      await enqueueOne(one, 'a');
      await worker.register(one, [1, 2]);
      await worker.settle(one, complete(only(await worker.acquire(one))));
    });
    expect((await refusal(one.rollout.retireContract({ name: v1, step: plain }))).violations).toEqual([`OUTCOMES_LEFT ${jobName('a')}`]);
    expect((await status()).left).toMatchObject({ total: 1n, outcomes: 1n });
  });

  test('in a paused contract', async () => {
    await closeOver(() => enqueueOne(one, 'a'));
    await one.rollout.pauseContract({ name: v1, reason: 'a drill', step: plain });
    await blocked();
  });

  test('and not by one that is finished and acknowledged, however long its record is kept', async () => {
    const worker = new WorkerUnderTest();
    await closeOver(async () => {
      await enqueueOne(one, 'a');
      await worker.register(one, [1, 2]);
      await worker.settle(one, complete(only(await worker.acquire(one))));
      const { outcomes } = await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 1, wait: undefined, producer: 'p' });
      await one.queue.ackOutcomes({ outcomes: outcomes.map(({ name, fence }) => ({ name, fence })) });
    });
    expect((await one.rollout.retireContract({ name: v1, step: plain })).contract?.state).toBe(ContractState.RETIRED);
    expect((await getJob(one, 'a')).state).toBe(JobState.SUCCEEDED);
  });
});

describe('a paused contract', () => {
  test('is granted to nobody and spends no attempt; running jobs go on; resumed, it is granted again', async () => {
    const worker = await new WorkerUnderTest().register(one);
    await enqueueOne(one, 'running');
    const running = only(await worker.acquire(one));
    await enqueueOne(one, 'waiting');
    await one.rollout.pauseContract({ name: v1, reason: 'corrupt output', step: plain });
    expect(await worker.acquire(two)).toEqual([]);
    expect((await worker.settle(one, complete(running))).results).toMatchObject([{ currentFence: 0n }]);
    expect(await getJob(one, 'waiting')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
    expect((await one.rollout.explainJob({ name: jobName('waiting') })).waitingFor.map(({ code }) => code)).toEqual(['PAUSED']);
    await one.rollout.resumeContract({ name: v1, step: plain });
    expect(only(await worker.acquire(two)).jobId).toBe('waiting');
  });

  test('leaves the other versions alone', async () => {
    const worker = await opened();
    await enqueueOne(one, 'a');
    await enqueueOne(one, 'b', { contractVersion: 2 });
    await one.rollout.pauseContract({ name: v2, reason: 'a drill', step: plain });
    expect((await worker.acquire(one, { contractVersions: [1, 2], maxLeases: 4 })).map(({ jobId }) => jobId)).toEqual(['a']);
  });

  test('a pause needs a reason', async () => {
    expect(await refusal(one.rollout.pauseContract({ name: v1, reason: ' ', step: plain }))).toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});

describe('discarding', () => {
  test('ends live jobs as CANCELLED under greater fences, bounded per call, and their holder has lost', async () => {
    const worker = await new WorkerUnderTest().register(one);
    await enqueueOne(one, 'a');
    const lease = only(await worker.acquire(one));
    for (const id of ['b', 'c']) await enqueueOne(one, id);
    const discard = (maxJobs: number, validateOnly = false) => one.rollout.discardJobs({ name: v1, reason: 'corrupt output', maxJobs, validateOnly, actor: 'ada' });
    expect(await discard(2, true)).toEqual({ discarded: 2n, remaining: 1n });
    expect(await discard(2)).toEqual({ discarded: 2n, remaining: 1n });
    expect((await worker.settle(one, complete(lease))).results[0]?.currentFence).toBeGreaterThan(lease.fence);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.CANCELLED });
    expect((await discard(0)).remaining).toBe(0n);
    const { outcomes } = await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 10, wait: undefined, producer: 'p' });
    expect(outcomes.map(({ state }) => state)).toEqual([JobState.CANCELLED, JobState.CANCELLED, JobState.CANCELLED]);
    const { events } = await one.rollout.explainJob({ name: jobName('a') });
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['job_enqueued', 'job_discarded', 'lease_lost', 'job_finished']));
  });

  test('needs a reason', async () => {
    expect(await refusal(one.rollout.discardJobs({ name: v1, reason: '', maxJobs: 0, validateOnly: false, actor: '' }))).toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});

test('a drain is watched to its end, with the oldest that is left by name', async () => {
  const worker = await new WorkerUnderTest().register(one);
  await enqueueOne(one, 'a');
  const seen: WatchDrainResponse[] = [];
  for await (const answer of one.rollout.watchDrain({ name: v1 })) {
    seen.push(answer);
    if (answer.left?.due === 1n) await worker.settle(two, complete(only(await worker.acquire(two))));
    if (answer.left?.outcomes === 1n) {
      const { outcomes } = await two.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 1, wait: undefined, producer: 'p' });
      await two.queue.ackOutcomes({ outcomes: outcomes.map(({ name, fence }) => ({ name, fence })) });
    }
  }
  expect(seen[0]).toMatchObject({ left: { total: 1n, due: 1n }, witnesses: [jobName('a')] });
  expect(seen.at(-1)).toMatchObject({ left: { total: 0n }, witnesses: [] });
});

describe('workers', () => {
  test('that are cordoned take nothing new and keep what they hold; uncordoned, they take again', async () => {
    const worker = await new WorkerUnderTest('worker@1').register(one);
    await enqueueOne(one, 'a');
    const lease = only(await worker.acquire(one));
    const selector = { workerId: '', build: 'worker@1', contract: '', withoutContract: '' };
    expect((await one.rollout.cordonWorkers({ selector, validateOnly: false, actor: 'ada', reason: 'r' })).workers).toMatchObject([{ state: WorkerState.CORDONED, leases: 1 }]);
    await enqueueOne(one, 'b');
    expect(await worker.acquire(two)).toEqual([]);
    expect((await worker.settle(two, complete(lease))).results).toHaveLength(1);
    await two.rollout.uncordonWorkers({ selector, validateOnly: false, actor: 'ada', reason: 'r' });
    expect(only(await worker.acquire(one)).jobId).toBe('b');
  });

  test('are drained by what they do not read, and told so with their next call', async () => {
    const old = await new WorkerUnderTest('worker@1').register(one, [1]);
    const current = await new WorkerUnderTest('worker@1+2').register(one, [1, 2]);
    const selector = { workerId: '', build: '', contract: '', withoutContract: 'image@2' };
    expect((await one.rollout.drainWorkers({ selector, validateOnly: true, actor: '', reason: '' })).workers.map(({ state }) => state)).toEqual([WorkerState.ACTIVE]);
    await one.rollout.drainWorkers({ selector, validateOnly: false, actor: '', reason: '' });
    expect([(await old.extend(two)).directive, (await current.extend(two)).directive]).toEqual([2, 1]);
    expect(await refusal(one.rollout.drainWorkers({ selector: undefined, validateOnly: false, actor: '', reason: '' }))).toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});

test('how builds fare is summed up by build, over all coordinators', async () => {
  const good = await new WorkerUnderTest('good@1').register(one);
  const bad = await new WorkerUnderTest('bad@1').register(two);
  for (const id of ['a', 'b', 'c', 'd']) await enqueueOne(one, id);
  await good.settle(one, complete(only(await good.acquire(one))));
  await bad.settle(two, failContent(only(await bad.acquire(two))));
  await bad.settle(two, failTechnical(only(await bad.acquire(two))));
  await good.settle(one, release(only(await good.acquire(one))));
  // What other tests left in the coordinators' sums may come too.
  const own = async () => (await status()).builds.filter(({ build }) => ['bad@1', 'good@1'].includes(build));
  await expect.poll(own, { timeout: 10_000 }).toMatchObject([
    { build: 'bad@1', attempts: 2n, succeeded: 0n, failedContent: 1n, failedTechnical: 1n }, { build: 'good@1', attempts: 1n, succeeded: 1n },
  ]);
});

test('a timeline tells who had the job under which fence, and what became of it', async () => {
  await queue.policy({ max_attempts: 2 });
  const [first, second] = [await new WorkerUnderTest('a@1').register(one), await new WorkerUnderTest('b@1').register(one)];
  await enqueueOne(one, 'a');
  const lost = only(await first.acquire(one));
  await queue.age(180_000);
  await expect.poll(() => getJob(one, 'a'), { timeout: 5_000 }).toMatchObject({ state: JobState.QUEUED });
  const held = only(await second.acquire(two));
  await first.settle(one, complete(lost));
  const running = await one.rollout.explainJob({ name: jobName('a') });
  expect(running).toMatchObject({ state: 'LEASED', contract: 'image@1', attempt: 2, maxAttempts: 2, waitingFor: [] });
  await second.settle(two, failContent(held));
  const { events, state } = await two.rollout.explainJob({ name: jobName('a') });
  expect(state).toBe('FAILED');
  expect(events.map(({ event, fence, workerId }) => [event, fence, workerId])).toEqual([
    ['job_enqueued', 0n, ''], ['lease_expired', lost.fence, first.workerId], ['lease_lost', lost.fence, first.workerId], ['attempt_failed', held.fence, second.workerId], ['job_finished', held.fence, ''],
  ]);
  expect(await refusal(one.rollout.explainJob({ name: jobName('nobody') }))).toMatchObject({ reason: 'JOB_NOT_FOUND' });
});

test('registration always succeeds: 500 builds, each with a version of its own, and the gates still answer', async () => {
  for (let batch = 0; batch < 500; batch += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => new WorkerUnderTest(`worker@${batch + i}`).register(i % 2 === 0 ? one : two, [1, batch + i + 2])));
  }
  expect((await status()).readers).toHaveLength(500);
  const { gate } = await one.rollout.checkGate({ gate: { $case: 'build', value: { candidate: { build: 'next', reads: ['image@1'] }, replaces: 'worker@7' } } });
  expect(gate?.verdict).toBe(GateVerdict.PASS);
});

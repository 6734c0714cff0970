import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SettlementVerdict, type Lease } from '@leasehold/lease-v1';
import { JobState } from '@leasehold/queue-v1';
import { leftOut } from '@leasehold/test-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BullmqUnderTest } from '../../testing/bullmq-under-test.js';
import { enqueueImport, getImport, importer, importSpec, take } from '../../testing/imports-under-test.js';
import { complete, failTechnical, only, release, type CoordinatorUnderTest, type WorkerUnderTest } from '../../testing/queue-under-test.js';

const { SETTLED } = SettlementVerdict;

describe.skipIf(leftOut('redis'))('losing Redis loses nothing', { timeout: 60_000 }, () => {
  let under: BullmqUnderTest;
  let one: CoordinatorUnderTest;
  let two: CoordinatorUnderTest;
  let worker: WorkerUnderTest;
  beforeAll(async () => {
    under = await BullmqUnderTest.open();
    one = await under.coordinator();
    two = await under.coordinator();
  });
  beforeEach(async () => {
    await under.queue.reset();
    await under.queue.policy({ retry_initial_ms: 0, retry_max_ms: 0 }, 'import');
    worker = await importer(one);
  });
  afterAll(() => under.close());

  const enqueueMany = async (count: number, from = 0): Promise<void> => void (await one.queue.enqueueJobs({ jobs: Array.from({ length: count }, (_, i) => importSpec(`job-${from + i}`)) }));
  const ended = async (): Promise<unknown> => (await under.queue.sql.query("select count(*)::int as n, count(distinct enqueue_id)::int as jobs, max(attempts) as attempts from finished_jobs where state = 'succeeded'")).rows[0];

  async function settleRest(count: number, coordinator = two): Promise<void> {
    const other = await importer(coordinator);
    for (const lease of await take(other, coordinator, count)) expect(only((await other.settle(coordinator, complete(lease))).results).verdict).toBe(SETTLED);
  }

  test('FLUSHALL in the middle: what waits is proposed again, what runs goes on, and each job ends once', async () => {
    await enqueueMany(20);
    const [done, failed, released] = await take(worker, one, 3);
    if (done === undefined || failed === undefined || released === undefined) throw new Error('three leases were expected');
    await under.client.flushall();
    const answers = await worker.settle(one, complete(done), failTechnical(failed), release(released));
    expect(answers.results.map((r) => r.verdict)).toEqual([SETTLED, SETTLED, SETTLED]);
    await enqueueMany(5, 20);
    await settleRest(24);
    expect(await ended()).toEqual({ n: 25, jobs: 25, attempts: 2 });
    expect([...one.log, ...two.log].map((line) => line['event'])).toContain('redis_memory_lost');
    expect(await under.metric(one, 'leasehold_dispatcher_memory_losses_total') + await under.metric(two, 'leasehold_dispatcher_memory_losses_total')).toBeGreaterThan(0);
  });

  test('a Redis that was killed comes back empty', async () => {
    await enqueueMany(10);
    const [held] = await take(worker, one, 1);
    await under.redis.restart();
    await settleRest(9);
    if (held !== undefined) expect(only((await worker.settle(one, complete(held))).results).verdict).toBe(SETTLED);
    expect(await ended()).toEqual({ n: 10, jobs: 10, attempts: 1 });
  });

  test('a Redis that comes back with an old dump proposes what is over, which is refused, and lacks what is new, which is added', async () => {
    await enqueueMany(6);
    await under.dispatched();
    await under.client.save();
    const old = join(under.redis.dataDir, 'old.rdb');
    await copyFile(join(under.redis.dataDir, 'dump.rdb'), old);
    for (const lease of await take(worker, one, 6)) await worker.settle(one, complete(lease));
    await enqueueMany(4, 6);
    await under.dispatched();
    await under.redis.kill();
    await copyFile(old, join(under.redis.dataDir, 'dump.rdb'));
    await under.redis.restart();
    await settleRest(4);
    expect(await ended()).toEqual({ n: 10, jobs: 10, attempts: 1 });
    await expect.poll(() => under.records.getJobCounts('prioritized', 'delayed', 'active'), { timeout: 15_000 }).toEqual({ prioritized: 0, delayed: 0, active: 0 });
  });

  test('while it is away in the middle jobs are taken, settled and not handed out; health says so; all is caught up with when it is back', async () => {
    await enqueueImport(one, 'held');
    const held = only(await take(worker, one));
    await under.ready(one);
    await under.redis.kill();
    await enqueueMany(5);
    expect(await getImport(one, 'job-4')).toMatchObject({ state: JobState.QUEUED });
    expect(only((await worker.settle(one, failTechnical(held))).results).verdict).toBe(SETTLED);
    await expect.poll(() => under.notReady(one)).toMatch(/^Redis is away \(.*\): jobs are taken/);
    expect(await worker.acquire(one, { kind: 'import', wait: { seconds: 1n, nanos: 0 } })).toEqual([]);
    const backMs = performance.now();
    await under.redis.restart();
    const leases: Lease[] = await take(worker, one, 6);
    expect(performance.now() - backMs).toBeLessThan(15_000);
    expect(leases).toHaveLength(6);
    await worker.settle(one, ...leases.map((lease) => complete(lease)));
    await under.ready(one);
    expect(await ended()).toEqual({ n: 6, jobs: 6, attempts: 2 });
  });
});

describe.skipIf(leftOut('redis'))('a coordinator without its Redis', { timeout: 60_000 }, () => {
  test('starts, enqueues, says what is missing, and hands out once Redis is there', async () => {
    const under = await BullmqUnderTest.open();
    try {
      await under.redis.kill();
      const one = await under.coordinator();
      await enqueueImport(one, 'early');
      await expect.poll(() => under.notReady(one)).toMatch(/ECONNREFUSED/);
      expect(await under.notReady(one, 'dispatchers')).not.toMatch(/wants/);
      await under.redis.restart();
      const worker = await importer(one);
      expect(only(await take(worker, one))).toMatchObject({ jobId: 'early', attempt: 1 });
      await under.ready(one);
      expect(one.log.filter((line) => line['event'] === 'redis_away')).toHaveLength(1);
    } finally {
      await under.close();
    }
  });

  test.each(['killed', 'frozen'] as const)('stops within its deadline while Redis is %s', async (how) => {
    const under = await BullmqUnderTest.open();
    try {
      const one = await under.coordinator({ env: { LEASEHOLD_STOP_TIMEOUT: '8s' } });
      await enqueueImport(one, 'a');
      const worker = await importer(one);
      const lease = only(await take(worker, one));
      if (how === 'killed') await under.redis.kill();
      else under.redis.freeze();
      await enqueueImport(one, 'b');
      await worker.settle(one, complete(lease));
      const { hung } = await one.stopReport();
      expect(hung).toEqual([]);
      expect(await under.queue.sql.query('select job_id from jobs').then(({ rows }) => rows)).toEqual([{ job_id: 'b' }]);
    } finally {
      if (how === 'frozen') under.redis.thaw();
      await under.close();
    }
  });
});

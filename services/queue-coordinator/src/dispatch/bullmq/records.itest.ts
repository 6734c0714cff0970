import { leftOut } from '@leasehold/test-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BullmqUnderTest } from '../../testing/bullmq-under-test.js';
import { enqueueImport, importer, importSpec, take } from '../../testing/imports-under-test.js';
import { complete, failContent, failTechnical, jobOf, only, type CoordinatorUnderTest, type WorkerUnderTest } from '../../testing/queue-under-test.js';

const soon = { timeout: 15_000 };

describe.skipIf(leftOut('redis'))('records in BullMQ', { timeout: 60_000 }, () => {
  let under: BullmqUnderTest;
  let one: CoordinatorUnderTest;
  let worker: WorkerUnderTest;
  beforeAll(async () => {
    under = await BullmqUnderTest.open();
    one = await under.coordinator();
    await under.ready(one);
  });
  beforeEach(async () => {
    await under.queue.reset();
    await under.client.flushall();
    await under.ready(one);
    worker = await importer(one);
  });
  afterAll(() => under.close());

  const counts = async (): Promise<string> => {
    const { prioritized, delayed, active, completed, failed } = await under.records.getJobCounts('prioritized', 'delayed', 'active', 'completed', 'failed');
    return `waiting ${prioritized} delayed ${delayed} active ${active} completed ${completed} failed ${failed}`;
  };

  test('show what the rows say: waiting, delayed, active, completed, failed', async () => {
    await under.queue.policy({ retry_initial_ms: 600_000, retry_max_ms: 600_000 }, 'import');
    const { results } = await one.queue.enqueueJobs({ jobs: ['a', 'b', 'c'].map((id) => importSpec(id)) });
    await expect.poll(counts, soon).toBe('waiting 3 delayed 0 active 0 completed 0 failed 0');
    const [a, b, c] = await take(worker, one, 3);
    if (a === undefined || b === undefined || c === undefined) throw new Error('three leases were expected');
    await expect.poll(counts, soon).toBe('waiting 0 delayed 0 active 3 completed 0 failed 0');
    await worker.settle(one, complete(a), failContent(b), failTechnical(c));
    await expect.poll(counts, soon).toBe('waiting 0 delayed 1 active 0 completed 1 failed 1');
    const failed = await under.records.getJob(`e${jobOf(results[1]).enqueueId}`);
    expect(failed?.failedReason).toBe('TRUNCATED');
    // Nothing of the job itself is in Redis.
    expect(failed?.data).toEqual({});
    expect(await under.metric(one, 'leasehold_dispatcher_records{kind="import",version="1",state="delayed"')).toBeGreaterThanOrEqual(0);
  });

  test('are held under the lease\'s own token, for longer than the run can last', async () => {
    const { enqueueId } = await enqueueImport(one, 'a');
    const lease = only(await take(worker, one));
    const key = `{leasehold}:import@1:e${enqueueId}:lock`;
    await expect.poll(() => under.client.pttl(key), soon).toBeGreaterThan(1_800_000);
    expect(await under.client.get(key)).toBe(Buffer.from(lease.leaseToken).toString('hex'));
    const { rows } = await under.queue.sql.query<{ token: Buffer }>('select dispatch_token as token from jobs');
    expect(rows[0]?.token.equals(Buffer.from(lease.leaseToken))).toBe(true);
  });

  test('I2: of what is over are bounded in number, and on an idle queue they go when their time is over', async () => {
    await under.queue.policy({ keep_succeeded: 5, keep_failed: 5 }, 'import');
    await expect.poll(async () => (await under.queue.sql.query("select keep_failed from kind_policies where kind = 'import'")).rows[0], soon).toEqual({ keep_failed: 5 });
    // Until the coordinator has read the policy, which it does every second.
    await expect.poll(async () => {
      await one.queue.enqueueJobs({ jobs: Array.from({ length: 16 }, (_, i) => importSpec(`${performance.now()}-${i}`.replaceAll('.', '-'))) });
      const leases = await take(worker, one, 16);
      await worker.settle(one, ...leases.map((lease, i) => (i % 2 === 0 ? complete(lease) : failContent(lease))));
      return counts();
    }, { timeout: 20_000, interval: 1_000 }).toBe('waiting 0 delayed 0 active 0 completed 5 failed 5');
    // Both are past their time, and nothing else ends on this queue.
    for (const set of ['completed', 'failed']) {
      const members = await under.client.zrange(`{leasehold}:import@1:${set}`, '0', '-1');
      for (const member of members) await under.client.zadd(`{leasehold}:import@1:${set}`, String(Date.now() - 86_400_001), member);
    }
    await expect.poll(counts, soon).toBe('waiting 0 delayed 0 active 0 completed 0 failed 0');
    const keys = await under.client.keys('{leasehold}:import@1:e*');
    expect(keys.filter((key) => !key.endsWith(':events'))).toEqual([]);
  });

  test('without a row are purged, waiting and delayed ones', async () => {
    const purged = () => under.metric(one, 'leasehold_dispatcher_proposals_total{kind="import",version="1",event="purged"');
    const before = await purged();
    await under.records.add('job', {}, { jobId: 'e77', priority: 3 });
    await under.records.add('job', {}, { jobId: 'e78', priority: 3, delay: 3_600_000 });
    await expect.poll(counts, soon).toBe('waiting 0 delayed 0 active 0 completed 0 failed 0');
    // Or more: what another test left over is purged too.
    expect((await purged()) - before).toBeGreaterThanOrEqual(2);
  });

  test('of a queued job that BullMQ keeps as completed or failed, or has no more, are made anew', async () => {
    const jobs = await Promise.all(['completed', 'failed', 'absent'].map((id) => enqueueImport(one, id)));
    await under.dispatched();
    // At once, as a coordinator that looks at it in between would mend it already.
    const key = (name: string): string => `{leasehold}:import@1:${name}`;
    const changes = under.client.multi();
    for (const [index, { enqueueId }] of jobs.entries()) {
      const id = `e${enqueueId}`;
      changes.zrem(key('prioritized'), id);
      if (index === 2) changes.del(key(id));
      else changes.zadd(key(index === 0 ? 'completed' : 'failed'), String(Date.now()), id);
    }
    await changes.exec();
    expect((await take(worker, one, 3)).map((lease) => lease.jobId)).toEqual(expect.arrayContaining(['completed', 'failed', 'absent']));
  });

  test('of leased jobs are left alone: one that is gone does not make the job be leased again', async () => {
    await enqueueImport(one, 'a');
    const lease = only(await take(worker, one));
    await under.client.flushall();
    expect(await worker.acquire(one, { kind: 'import', wait: { seconds: 4n, nanos: 0 } })).toEqual([]);
    expect(await counts()).toBe('waiting 0 delayed 0 active 0 completed 0 failed 0');
    expect(only((await worker.settle(one, complete(lease))).results).verdict).toBe(1);
  });
});

import { JobState } from '@leasehold/queue-v1';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { complete, enqueueOne, failContent, failTechnical, getJob, only, QueueUnderTest, release, WorkerUnderTest, type CoordinatorUnderTest } from '../testing/queue-under-test.js';

let queue: QueueUnderTest;
let one: CoordinatorUnderTest;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
});
beforeEach(async () => {
  await queue.reset();
  one = await queue.coordinator();
});
// Counters are of one process: a second coordinator would do some of the duties.
afterEach(() => one.stop());
afterAll(() => queue.close());

/** The value of one series of the coordinator's metrics; undefined when it is not there. */
async function series(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const text = await (await fetch(`http://${one.httpAddress}/metrics`)).text();
  for (const line of text.split('\n')) {
    const [, found, all, value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (found === name && Object.entries(labels).every(([label, is]) => all?.includes(`${label}="${is}"`) === true)) return Number(value);
  }
  return undefined;
}

const image = { kind: 'image', version: '1' };

test('queued, the age of the oldest claimable job, leased and leases past expiry are shown per contract', async () => {
  await enqueueOne(one, 'first');
  await queue.age(600_000);
  await enqueueOne(one, 'second');
  await enqueueOne(one, 'scheduled', { delay: { seconds: 3600n, nanos: 0 } });
  expect(await series('leasehold_jobs', { ...image, state: 'due' })).toBe(2);
  expect(await series('leasehold_jobs', { ...image, state: 'scheduled' })).toBe(1);
  expect(await series('leasehold_oldest_due_job_age_seconds', image)).toBeGreaterThanOrEqual(600);
  expect(await series('leasehold_leases_past_expiry', image)).toBe(0);
  expect(await series('leasehold_queue_figures_up')).toBe(1);
});

test('a job that no live worker reads stays QUEUED, spends no attempt, and is shown as unroutable', async () => {
  await queue.sql.query("insert into contracts values ('image', 2, 'open')");
  await enqueueOne(one, 'v2', { contractVersion: 2 });
  const worker = await new WorkerUnderTest().register(one, [1]);
  expect(await worker.acquire(one)).toEqual([]);
  expect(await series('leasehold_jobs_unroutable', { kind: 'image', version: '2' })).toBe(1);
  expect(await series('leasehold_workers_reading', image)).toBe(1);
  expect(await getJob(one, 'v2')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
});

test('what ended is counted by final state and reason; times to lease and to finish are histograms', async () => {
  for (const id of ['ok', 'bad', 'retried', 'returned']) await enqueueOne(one, id);
  const worker = await new WorkerUnderTest().register(one);
  const [ok, bad, retried, returned] = await worker.acquire(one, { maxLeases: 4 });
  if (ok === undefined || bad === undefined || retried === undefined || returned === undefined) throw new Error('four leases expected');
  await worker.settle(one, complete(ok), failContent(bad, 'PIXEL_LIMIT'), failTechnical(retried, 'TIMEOUT'), release(returned));
  await worker.settle(one, complete({ ...bad, leaseToken: Buffer.alloc(16) }));
  expect(await series('leasehold_jobs_enqueued_total', image)).toBe(4);
  expect(await series('leasehold_leases_granted_total', image)).toBe(4);
  expect(await series('leasehold_jobs_finished_total', { ...image, state: 'succeeded', reason: '' })).toBe(1);
  expect(await series('leasehold_jobs_finished_total', { ...image, state: 'failed', reason: 'PIXEL_LIMIT' })).toBe(1);
  expect(await series('leasehold_attempts_ended_total', { ...image, reason: 'TIMEOUT' })).toBe(1);
  expect(await series('leasehold_attempts_ended_total', { ...image, reason: 'RELEASED' })).toBe(1);
  expect(await series('leasehold_leases_lost_total', { ...image, verb: 'complete' })).toBe(1);
  expect(await series('leasehold_job_wait_seconds_count', image)).toBe(4);
  expect(await series('leasehold_job_duration_seconds_count', { ...image, state: 'succeeded' })).toBe(1);
  expect(await series('leasehold_outcomes_unacknowledged', image)).toBe(2);
});

test('leases past expiry reach 0 within two sweeps, kinds without a policy included', async () => {
  await enqueueOne(one, 'a');
  const worker = await new WorkerUnderTest().register(one);
  only(await worker.acquire(one));
  await queue.sql.query("update jobs set kind = 'forgotten'");
  await queue.age(3_600_000);
  const pastExpiry = async (): Promise<number> => (await queue.sql.query("select count(*)::int as n from jobs where state = 'leased' and expires_at < now()")).rows[0].n;
  await expect.poll(pastExpiry, { timeout: 3_000 }).toBe(0);
  expect((await queue.sql.query('select state, attempts from jobs')).rows).toEqual([{ state: 'queued', attempts: 1 }]);
  // Counted only after its commit, which the line above may have seen first.
  await expect.poll(() => series('leasehold_leases_expired_total', { kind: 'forgotten' })).toBe(1);
});

test('logs are one JSON line per event and hold no token, payload or result', async () => {
  await enqueueOne(one, 'a', { payload: Buffer.from('secret-payload') });
  const worker = await new WorkerUnderTest().register(one);
  const lease = only(await worker.acquire(one));
  await worker.settle(one, complete(lease, 'secret-result'));
  await worker.settle(one, failTechnical(lease));
  const text = JSON.stringify(one.log);
  expect(one.log.map((line) => line['event'])).toEqual(expect.arrayContaining(['job_enqueued', 'worker_registered', 'lease_settled', 'lease_lost']));
  for (const secret of ['secret-payload', 'secret-result', lease.leaseToken.toString('hex'), lease.leaseToken.toString('base64')]) expect(text).not.toContain(secret);
});

test('readiness tells of a database that is away and of a dispatcher that this build does not have', async () => {
  const ready = async (): Promise<{ status: number; failed: string[] }> => {
    const response = await fetch(`http://${one.httpAddress}/readyz`);
    // As in `{"name":"dispatchers","ok":false,…}`.
    return { status: response.status, failed: [...(await response.text()).matchAll(/"name":"([^"]+)","ok":false/g)].map(([, name]) => name ?? '') };
  };
  expect(await ready()).toEqual({ status: 200, failed: [] });
  await queue.sql.query("update kind_policies set dispatcher = 'bullmq' where kind = 'import'");
  expect(await ready()).toEqual({ status: 503, failed: ['dispatchers'] });
});

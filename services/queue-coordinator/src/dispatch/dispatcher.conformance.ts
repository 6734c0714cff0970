import { SettlementVerdict } from '@leasehold/lease-v1';
import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enqueueImport as enqueue, getImport as find, importer as register, importSpec, kind, take } from '../testing/imports-under-test.js';
import { complete, failContent, failTechnical, only, QueueUnderTest, release, type CoordinatorUnderTest, type WorkerUnderTest } from '../testing/queue-under-test.js';

const soon = { timeout: 10_000 };
const { SETTLED, LEASE_LOST } = SettlementVerdict;

const nothing = async (worker: WorkerUnderTest, coordinator: CoordinatorUnderTest, ms = 1_500): Promise<void> => {
  expect(await worker.acquire(coordinator, { kind, maxLeases: 10, wait: { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 } })).toEqual([]);
};

/** What every dispatcher must do, on real parts, whatever it keeps of its own. Two coordinators of `env` share one queue. */
export function dispatcherConformance(dispatcher: string, env: () => Promise<NodeJS.ProcessEnv>): void {
  describe(`dispatched by ${dispatcher}`, () => {
    let queue: QueueUnderTest;
    let one: CoordinatorUnderTest;
    let two: CoordinatorUnderTest;
    beforeAll(async () => {
      queue = await QueueUnderTest.open();
      const shared = await env();
      one = await queue.coordinator(shared);
      two = await queue.coordinator(shared);
    });
    beforeEach(() => queue.reset());
    afterAll(() => queue.close());

    /** Until the dispatcher has what was enqueued. */
    const dispatched = (): Promise<void> => expect.poll(async () => (await queue.sql.query('select from jobs where dispatched_at is null')).rowCount, soon).toBe(0);

    test('the kind is its own', async () => {
      expect((await queue.sql.query("select dispatcher from kind_policies where kind = 'import'")).rows).toEqual([{ dispatcher }]);
    });

    test('the oldest due job within the highest priority comes first, and one that is not due does not come', async () => {
      for (const [id, priority] of [['old', 0], ['middle', 5], ['new', 0], ['first', 9], ['middle-2', 5]] as const) await enqueue(one, id, { priority });
      await enqueue(one, 'later', { priority: 9, delay: { seconds: 3600n, nanos: 0 } });
      await dispatched();
      const worker = await register(one);
      expect((await take(worker, one, 5)).map((lease) => lease.jobId)).toEqual(['first', 'middle', 'middle-2', 'old', 'new']);
      await nothing(worker, one);
      expect(await find(one, 'later')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
    });

    test('a delayed job comes when it is due, and not before', async () => {
      await enqueue(one, 'delayed', { delay: { seconds: 1n, nanos: 0 } });
      const worker = await register(one);
      const lease = only(await take(worker, one));
      expect(lease.jobId).toBe('delayed');
      const { rows } = await queue.sql.query("select available_at <= granted_at as due, granted_at - available_at < interval '5 seconds' as in_time from jobs");
      expect(rows).toEqual([{ due: true, in_time: true }]);
    });

    test('a worker is leased only versions that it asks for; over several of them the first priority comes first', async () => {
      await queue.sql.query("insert into contracts (kind, version, state) values ('import', 2, 'open')");
      await enqueue(one, 'v1-low', { priority: 1 });
      await enqueue(one, 'v2-high', { contractVersion: 2, priority: 8 });
      await enqueue(one, 'v1-high', { priority: 8 });
      await enqueue(one, 'v2-low', { contractVersion: 2, priority: 1 });
      await expect.poll(async () => (await queue.sql.query('select from jobs where dispatched_at is null')).rowCount, soon).toBe(0);
      const old = await register(one, [1]);
      expect((await take(old, one)).map((lease) => lease.jobId)).toEqual(['v1-high']);
      const both = await register(one, [1, 2]);
      expect((await take(both, one, 3, [1, 2])).map((lease) => lease.jobId)).toEqual(['v2-high', 'v1-low', 'v2-low']);
      await enqueue(one, 'v2-only', { contractVersion: 2 });
      await nothing(old, one);
      expect(await find(one, 'v2-only')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
    });

    test('a job is leased to one worker, however many ask at how many coordinators', async () => {
      await one.queue.enqueueJobs({ jobs: Array.from({ length: 60 }, (_, i) => importSpec(`job-${i}`)) });
      const workers = await Promise.all([one, two, one, two].map(async (coordinator) => ({ coordinator, worker: await register(coordinator) })));
      const taken: string[] = [];
      await Promise.all(workers.map(async ({ coordinator, worker }) => {
        while (taken.length < 60) {
          const leases = await worker.acquire(coordinator, { kind, maxLeases: 4, wait: { seconds: 1n, nanos: 0 } });
          taken.push(...leases.map((lease) => lease.jobId));
          if (leases.length > 0) expect((await worker.settle(coordinator, ...leases.map((lease) => complete(lease)))).results.map((r) => r.verdict)).toEqual(leases.map(() => SETTLED));
        }
      }));
      expect(taken).toHaveLength(60);
      expect(new Set(taken).size).toBe(60);
      expect((await queue.sql.query('select count(*)::int as n, max(attempts) as attempts from finished_jobs')).rows).toEqual([{ n: 60, attempts: 1 }]);
    });

    test('many enqueues of one job at once make one job and one lease', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? one : two).queue.enqueueJobs({ jobs: [importSpec('same')] })));
      expect(results.flatMap((r) => r.results).filter((r) => r.verdict === EnqueueVerdict.ENQUEUED)).toHaveLength(1);
      const worker = await register(one);
      await worker.settle(one, complete(only(await take(worker, one))));
      expect(only((await two.queue.enqueueJobs({ jobs: [importSpec('same')] })).results).verdict).toBe(EnqueueVerdict.EXISTS);
      await nothing(worker, one);
    });

    test('a technical fault is retried after the policy\'s delay, under a larger fence; a content fault is final', async () => {
      await enqueue(one, 'a');
      const worker = await register(one);
      const first = only(await take(worker, one));
      await worker.settle(one, failTechnical(first));
      const { rows } = await queue.sql.query("select available_at > now() + interval '500 milliseconds' as later from jobs");
      expect(rows).toEqual([{ later: true }]);
      const second = only(await take(worker, two));
      expect(second).toMatchObject({ jobId: 'a', enqueueId: first.enqueueId, attempt: 2 });
      expect(second.fence).toBeGreaterThan(first.fence);
      await worker.settle(two, failContent(second));
      expect(await find(one, 'a')).toMatchObject({ state: JobState.FAILED, reason: 'TRUNCATED', attempt: 2 });
      await nothing(worker, one);
    });

    test('a hand-back costs no attempt, and the job comes again soon', async () => {
      await enqueue(one, 'a');
      const worker = await register(one);
      for (let n = 0; n < 3; n++) await worker.settle(one, release(only(await take(worker, one))));
      expect(only(await take(worker, two))).toMatchObject({ jobId: 'a', attempt: 1 });
    });

    test('a worker that leaves gives back what it holds', async () => {
      await enqueue(one, 'a');
      const leaving = await register(one);
      only(await take(leaving, one));
      await one.leases.deregisterWorker({ workerId: leaving.workerId });
      expect(only(await take(await register(two), two))).toMatchObject({ jobId: 'a', attempt: 1 });
    });

    test('a cancelled job is never leased, and a holder loses its right at once', async () => {
      const queued = await enqueue(one, 'queued');
      await dispatched();
      await one.queue.cancelJob({ name: queued.name, enqueueId: queued.enqueueId });
      const held = await enqueue(one, 'held');
      const worker = await register(one);
      const lease = only(await take(worker, one));
      expect(lease.jobId).toBe('held');
      await two.queue.cancelJob({ name: held.name, enqueueId: held.enqueueId });
      expect(only((await worker.settle(one, complete(lease))).results).verdict).toBe(LEASE_LOST);
      await nothing(worker, one);
      expect(await find(one, 'held')).toMatchObject({ state: JobState.CANCELLED });
    });

    test('a lease that ran out is granted again, and its holder is refused', async () => {
      await enqueue(one, 'a');
      const dead = await register(one);
      const first = only(await take(dead, one));
      await queue.age(121_000);
      const second = only(await take(await register(two), two));
      expect(second).toMatchObject({ jobId: 'a', attempt: 2 });
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(only((await dead.settle(one, complete(first))).results)).toMatchObject({ verdict: LEASE_LOST, currentFence: second.fence });
    });

    test('the number of grants is exact: a worker that dies at every attempt, and never one more', async () => {
      await enqueue(one, 'a');
      const worker = await register(one);
      for (const attempt of [1, 2, 3]) {
        expect(only(await take(worker, one))).toMatchObject({ jobId: 'a', attempt });
        await queue.age(121_000);
      }
      await expect.poll(() => find(one, 'a'), soon).toMatchObject({ state: JobState.FAILED, reason: 'EXHAUSTED', attempt: 3 });
      await nothing(worker, one);
    });

    test('a bound that is lowered under a queued job is kept by the next grant', async () => {
      await enqueue(one, 'a');
      const worker = await register(one);
      await worker.settle(one, release(only(await take(worker, one))));
      await worker.settle(one, failTechnical(only(await take(worker, one))));
      await queue.policy({ max_attempts: 1 }, kind);
      await nothing(worker, one, 3_000);
    });

    test('a repeated acquire gets the same leases; what never arrived goes back without an attempt spent', async () => {
      for (const id of ['a', 'b']) await enqueue(one, id);
      await dispatched();
      const worker = await register(one);
      const request = worker.request({ kind, maxLeases: 2, wait: { seconds: 5n, nanos: 0 } });
      const { leases } = await one.leases.acquireLeases(request);
      expect(leases).toHaveLength(2);
      const again = await two.leases.acquireLeases(request);
      expect(again.leases.map((l) => [l.enqueueId, l.fence, l.attempt])).toEqual(leases.map((l) => [l.enqueueId, l.fence, l.attempt]));
      worker.heard(request, []);
      await worker.extend(one);
      const other = await register(two);
      expect((await take(other, two, 2)).map((lease) => [lease.jobId, lease.attempt])).toEqual(expect.arrayContaining([['a', 1], ['b', 1]]));
    });

    test('what a build cannot read goes to another build, and a build that was suspended gets no more of it', async () => {
      await enqueue(one, 'a');
      const blind = await register(one, [1], 'import-worker@blind');
      await blind.settle(one, release(only(await take(blind, one)), 3));
      await nothing(blind, one);
      const sighted = await register(one, [1], 'import-worker@sighted');
      expect(only(await take(sighted, one))).toMatchObject({ jobId: 'a', attempt: 1 });
      for (const id of ['b', 'c']) {
        await enqueue(one, id);
        await blind.settle(one, release(only(await take(blind, one)), 3));
      }
      await enqueue(one, 'd');
      await nothing(blind, one);
      expect((await take(sighted, one, 3)).map((lease) => lease.jobId).toSorted()).toEqual(['b', 'c', 'd']);
    });

    test('the jobs of a paused contract wait, and come when it is resumed', async () => {
      await enqueue(one, 'a');
      await queue.sql.query("update contracts set paused = true where kind = 'import'");
      const worker = await register(one);
      await nothing(worker, one);
      await queue.sql.query("update contracts set paused = false where kind = 'import'");
      expect(only(await take(worker, one))).toMatchObject({ jobId: 'a', attempt: 1 });
    });

    test('an id that was pruned may be used again', async () => {
      const worker = await register(one);
      const before = await enqueue(one, 'a');
      await worker.settle(one, complete(only(await take(worker, one))));
      await queue.sql.query('delete from finished_jobs; delete from outcomes');
      const after = await enqueue(one, 'a');
      expect(after.enqueueId).toBeGreaterThan(before.enqueueId);
      expect(only(await take(worker, one))).toMatchObject({ jobId: 'a', enqueueId: after.enqueueId, attempt: 1 });
    });

    test('a waiting worker is woken by an enqueue at another coordinator', async () => {
      const worker = await register(one);
      const waiting = worker.acquire(one, { kind, wait: { seconds: 20n, nanos: 0 } });
      await enqueue(two, 'woken');
      expect(only(await waiting).jobId).toBe('woken');
    });
  });
}

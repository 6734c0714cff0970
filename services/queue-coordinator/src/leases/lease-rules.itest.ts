import { LeaseExtensionVerdict, Progress, SettlementVerdict, WorkerDirective } from '@leasehold/lease-v1';
import { JobState } from '@leasehold/queue-v1';
import { msOfDuration } from '@leasehold/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  complete, enqueueOne, extension, failContent, failTechnical, getJob, jobName, only, QueueUnderTest, release, spec, WorkerUnderTest, type CoordinatorUnderTest,
} from '../testing/queue-under-test.js';

let queue: QueueUnderTest;
let one: CoordinatorUnderTest;
let two: CoordinatorUnderTest;

beforeAll(async () => {
  queue = await QueueUnderTest.open();
  one = await queue.coordinator();
  two = await queue.coordinator();
});
beforeEach(() => queue.reset());
afterAll(() => queue.close());

/** Jobs whose times were moved back lie below the claim's floor until the next full read. */
const patiently = { wait: { seconds: 10n, nanos: 0 } };
const { SETTLED, LEASE_LOST, NOT_FOUND } = SettlementVerdict;
const verdictOf = async (answer: ReturnType<WorkerUnderTest['settle']>): Promise<number> => only((await answer).results).verdict;

describe('granting', () => {
  test('the oldest due job within the highest priority comes first', async () => {
    await enqueueOne(one, 'old');
    await enqueueOne(one, 'new');
    await enqueueOne(one, 'first', { priority: 9 });
    await enqueueOne(one, 'later', { priority: 9, delay: { seconds: 60n, nanos: 0 } });
    const worker = await new WorkerUnderTest().register(one);
    const leases = await worker.acquire(one, { maxLeases: 10 });
    expect(leases.map((l) => l.jobId)).toEqual(['first', 'old', 'new']);
  });

  test('a busy first row never holds up the next', async () => {
    await enqueueOne(one, 'busy');
    await enqueueOne(one, 'free');
    const other = await queue.sql.connect();
    await other.query('begin');
    await other.query("select from jobs where job_id = 'busy' for update");
    const worker = await new WorkerUnderTest().register(one);
    expect((await worker.acquire(one, { maxLeases: 10 })).map((l) => l.jobId)).toEqual(['free']);
    await other.query('rollback');
    other.release();
    expect((await worker.acquire(one, { maxLeases: 10 })).map((l) => l.jobId)).toEqual(['busy']);
  });

  test('fences strictly rise over grants, whichever coordinator grants', async () => {
    await queue.policy({ max_attempts: 10, retry_initial_ms: 0, retry_max_ms: 0 });
    const job = await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    let last = job.enqueueId;
    for (const coordinator of [one, two, one, two]) {
      const lease = only(await worker.acquire(coordinator));
      expect(lease.fence).toBeGreaterThan(last);
      last = lease.fence;
      await worker.settle(coordinator, failTechnical(lease));
    }
  });

  test('V1: a worker is leased only versions that it declared, and an undeclared version is refused', async () => {
    await queue.sql.query("insert into contracts values ('image', 2, 'open')");
    await enqueueOne(one, 'v2', { contractVersion: 2 });
    const worker = await new WorkerUnderTest().register(one, [1]);
    expect(await worker.acquire(one)).toEqual([]);
    await expect(worker.acquire(one, { contractVersions: [1, 2] })).rejects.toMatchObject({ reason: 'VERSION_NOT_DECLARED' });
    expect(await getJob(one, 'v2')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
    const newer = await new WorkerUnderTest().register(one, [1, 2]);
    expect(only(await newer.acquire(one, { contractVersions: [1, 2] })).jobId).toBe('v2');
  });

  test('a waiting worker is woken by an enqueue at another coordinator', async () => {
    const worker = await new WorkerUnderTest().register(one);
    const waiting = worker.acquire(one, { wait: { seconds: 20n, nanos: 0 } });
    await enqueueOne(two, 'woken');
    expect(only(await waiting).jobId).toBe('woken');
  });

  test('with LISTEN lost for good, polling still finds the work', async () => {
    const worker = await new WorkerUnderTest().register(one);
    const waiting = worker.acquire(one, { wait: { seconds: 20n, nanos: 0 } });
    await queue.sql.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'queue-coordinator listen' and datname = current_database()");
    // Not by a coordinator: no notification is sent at all.
    await queue.sql.query(
      "insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at) values ('default', 'image', 'silent', nextval('fence_seq'), 1, 0, '', '', 'queued', now(), now())",
    );
    expect(only(await waiting).jobId).toBe('silent');
  });

  test('an answer never outgrows what clients receive: what does not fit goes back without an attempt spent', async () => {
    await one.queue.enqueueJobs({ jobs: Array.from({ length: 14 }, (_, i) => spec(`a${i}`, { payload: Buffer.alloc(256 * 1024) })) });
    await one.queue.enqueueJobs({ jobs: Array.from({ length: 6 }, (_, i) => spec(`b${i}`, { payload: Buffer.alloc(256 * 1024) })) });
    const worker = await new WorkerUnderTest().register(one);
    const leases = await worker.acquire(one, { maxLeases: 20 });
    expect(leases).toHaveLength(11);
    const rest = await worker.acquire(one, { maxLeases: 20, ...patiently });
    expect(rest.map((lease) => [lease.jobId, lease.attempt])).toEqual(['a11', 'a12', 'a13', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5'].map((id) => [id, 1]));
    await worker.settle(one, ...leases.map((lease) => ({ ...complete(lease), verb: { $case: 'complete' as const, value: { result: Buffer.alloc(200 * 1024) } } })));
    const { outcomes } = await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 100, wait: undefined, producer: '' });
    const { outcomes: more } = await one.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 100, wait: undefined, producer: '' });
    expect([...outcomes, ...more]).toHaveLength(11);
  });

  test('the lease carries what the holder needs for its trust', async () => {
    await queue.policy({ lease_ms: 60_000, max_run_ms: 90_000 });
    await enqueueOne(one, 'a', { payload: Buffer.from('bytes') });
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    expect(msOfDuration(lease.ttl)).toBeGreaterThan(55_000);
    expect(msOfDuration(lease.ttl)).toBeLessThanOrEqual(60_000);
    expect(msOfDuration(lease.runLeft)).toBeGreaterThan(85_000);
    expect(msOfDuration(lease.grantedAfter)).toBeGreaterThanOrEqual(0);
    expect(lease).toMatchObject({ attempt: 1, maxAttempts: 3, contractVersion: 1, namespace: 'default', kind: 'image' });
    expect(lease.leaseToken).toHaveLength(16);
    expect(Buffer.from(lease.payload).toString()).toBe('bytes');
  });
});

describe('a lost reply', () => {
  test('of an acquire: the repeat gets the same leases, also at another coordinator, and spends no attempt', async () => {
    await enqueueOne(one, 'a');
    await enqueueOne(one, 'b');
    const worker = await new WorkerUnderTest().register(one);
    const request = worker.request({ maxLeases: 2 });
    const first = await one.leases.acquireLeases(request);
    const again = await two.leases.acquireLeases(request);
    expect(again.leases.map((l) => [l.jobId, l.fence, l.leaseToken.toString('hex'), l.attempt])).toEqual(first.leases.map((l) => [l.jobId, l.fence, l.leaseToken.toString('hex'), l.attempt]));
    expect(again.leases.map((l) => l.attempt)).toEqual([1, 1]);
  });

  test('of an acquire that was given up: what never arrived goes back without an attempt spent', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lost = worker.request();
    await one.leases.acquireLeases(lost);
    worker.heard(lost, []);
    await worker.extend(one);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
    expect(only(await worker.acquire(one, patiently))).toMatchObject({ jobId: 'a', attempt: 1 });
  });

  test('is told from a lease that the worker had and let go: that one ends by expiry, and its attempt stays spent', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await worker.extend(one, [extension(lease)]);
    // As after max_run or the end of trust: the worker holds it no more, and has nothing to settle.
    worker.held.delete(lease.fence);
    await worker.extend(one);
    expect(await worker.acquire(two)).toEqual([]);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.LEASED, attempt: 1, fence: lease.fence });
    await queue.age(3_600_000);
    expect(only(await worker.acquire(one, patiently))).toMatchObject({ jobId: 'a', attempt: 2 });
  });

  test('an old copy of an acquire that comes late grants nothing', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const old = worker.request();
    worker.heard(old, []);
    await worker.extend(one);
    expect((await one.leases.acquireLeases(old)).leases).toEqual([]);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
  });

  test.each([
    ['complete', complete],
    ['fail with retry', failTechnical],
    ['fail for good', failContent],
    ['release', release],
  ] as const)('of a settle (%s): the repeat answers SETTLED, also at another coordinator and after others were granted since', async (_name, said) => {
    await queue.policy({ retry_initial_ms: 0, retry_max_ms: 0, release_initial_ms: 0 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    expect(await verdictOf(worker.settle(one, said(lease)))).toBe(SETTLED);
    const other = await new WorkerUnderTest().register(two);
    const next = await other.acquire(two);
    expect(await verdictOf(worker.settle(two, said(lease)))).toBe(SETTLED);
    for (const held of next) expect(await verdictOf(other.settle(one, complete(held)))).toBe(SETTLED);
    expect(await verdictOf(worker.settle(one, said(lease)))).toBe(SETTLED);
  });

  test('two equal settles at the same time are both answered SETTLED and count once', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => verdictOf(worker.settle(i % 2 === 0 ? one : two, complete(lease)))));
    expect(new Set(answers)).toEqual(new Set([SETTLED]));
    const { rows } = await queue.sql.query('select count(*)::int as n from finished_jobs');
    expect(rows[0]).toEqual({ n: 1 });
  });

  test('of an extend, a register and a deregister: the repeat answers as the first', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    await worker.register(one);
    const lease = only(await worker.acquire(one));
    for (const _ of [1, 2]) expect(only((await worker.extend(one, [extension(lease)])).results).verdict).toBe(LeaseExtensionVerdict.CONTINUE);
    expect(await one.leases.deregisterWorker({ workerId: worker.workerId })).toEqual({ releasedLeases: 1 });
    expect(await one.leases.deregisterWorker({ workerId: worker.workerId })).toEqual({ releasedLeases: 0 });
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, attempt: 0 });
  });
});

describe('settling', () => {
  test('a superseded holder cannot complete, hears LEASE_LOST with the fence that stands, and the event is recorded', async () => {
    await enqueueOne(one, 'a');
    const slow = await new WorkerUnderTest().register(one);
    const old = only(await slow.acquire(one));
    await queue.age(3_600_000);
    const quick = await new WorkerUnderTest().register(one);
    const current = only(await quick.acquire(one, { wait: { seconds: 10n, nanos: 0 } }));
    const refused = only((await slow.settle(one, complete(old, 'late'))).results);
    expect(refused).toEqual({ verdict: LEASE_LOST, currentFence: current.fence });
    expect(one.log.find((line) => line['event'] === 'lease_lost')).toMatchObject({ fence: old.fence.toString(), current_fence: current.fence.toString(), worker_id: slow.workerId, verb: 'complete' });
    const { rows } = await queue.sql.query("select fence, current_fence from job_events where event = 'lease_lost'");
    expect(rows).toEqual([{ fence: old.fence.toString(), current_fence: current.fence.toString() }]);
    expect(await verdictOf(quick.settle(one, complete(current, 'in time')))).toBe(SETTLED);
    expect(Buffer.from((await getJob(one, 'a')).result).toString()).toBe('in time');
    // Also once the job is over: still lost, never mistaken for the accepted one.
    expect(only((await slow.settle(one, complete(old, 'late'))).results)).toMatchObject({ verdict: LEASE_LOST, currentFence: current.fence });
  });

  test('the same token with another content is LEASE_LOST, and changes nothing', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await worker.settle(one, complete(lease, 'first'));
    for (const other of [complete(lease, 'second'), release(lease), failTechnical(lease), failContent(lease)]) expect(await verdictOf(worker.settle(one, other))).toBe(LEASE_LOST);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.SUCCEEDED });
  });

  test('a hand-back that is repeated after a failure was settled with the token gives no attempt back', async () => {
    await queue.policy({ retry_initial_ms: 0, retry_max_ms: 0 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await worker.settle(one, failTechnical(lease));
    expect(await verdictOf(worker.settle(one, release(lease)))).toBe(LEASE_LOST);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, attempt: 1, lastReason: 'STORE_UNAVAILABLE' });
  });

  test('a holder that settles after its time but before anybody voided the lease still holds', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    const guard = await queue.sql.connect();
    await guard.query('begin');
    // The expire duty skips the row while somebody else has it; the settle waits for it.
    await guard.query("update jobs set expires_at = now() - interval '1 hour'");
    const settled = worker.settle(one, complete(lease));
    await expect.poll(async () => (await queue.sql.query("select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).rows[0]).toEqual({ n: 1 });
    await guard.query('commit');
    guard.release();
    expect(await verdictOf(settled)).toBe(SETTLED);
  });

  test('an unknown enqueue is NOT_FOUND, not lost', async () => {
    const worker = await new WorkerUnderTest().register(one);
    expect(await verdictOf(worker.settle(one, { enqueueId: 4711n, leaseToken: Buffer.alloc(16), fence: 4712n, verb: { $case: 'release', value: { cause: 1 } } }))).toBe(NOT_FOUND);
  });

  test('content faults are final at once; technical ones are retried, first after 30 s with a random part above, then later', async () => {
    await enqueueOne(one, 'content');
    await enqueueOne(one, 'technical');
    const worker = await new WorkerUnderTest().register(one);
    const [content, technical] = await worker.acquire(one, { maxLeases: 2 });
    if (content === undefined || technical === undefined) throw new Error('two leases expected');
    await worker.settle(one, failContent(content), failTechnical(technical));
    expect(await getJob(one, 'content')).toMatchObject({ state: JobState.FAILED, reason: 'TRUNCATED', attempt: 1 });
    const delay = async (): Promise<number> => Number((await queue.sql.query("select extract(epoch from available_at - now()) * 1000 as ms from jobs where job_id = 'technical'")).rows[0].ms);
    const first = await delay();
    expect(first).toBeGreaterThan(29_000);
    expect(first).toBeLessThan(37_600);
    await queue.age(3_600_000);
    await worker.settle(one, failTechnical(only(await worker.acquire(one, patiently))));
    expect(await delay()).toBeGreaterThan(59_000);
    await queue.age(3_600_000);
    await worker.settle(one, failTechnical(only(await worker.acquire(one, patiently))));
    expect(await getJob(one, 'technical')).toMatchObject({ state: JobState.FAILED, reason: 'EXHAUSTED', lastReason: 'STORE_UNAVAILABLE', attempt: 3 });
  });

  test('one bad settlement does not fail its companions', async () => {
    for (const id of ['a', 'b', 'c']) await enqueueOne(one, id);
    const worker = await new WorkerUnderTest().register(one);
    const [a, b, c] = await worker.acquire(one, { maxLeases: 3 });
    if (a === undefined || b === undefined || c === undefined) throw new Error('three leases expected');
    const answer = await worker.settle(one, complete(a), { ...complete(b), leaseToken: Buffer.alloc(16, 7) }, complete(c));
    expect(answer.results.map((r) => r.verdict)).toEqual([SETTLED, LEASE_LOST, SETTLED]);
  });

  test('batches that hold the same leases in opposite orders do not fail', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `j${i}`);
    await one.queue.enqueueJobs({ jobs: ids.map((id) => spec(id)) });
    const worker = await new WorkerUnderTest().register(one);
    const leases = await worker.acquire(one, { maxLeases: 40 });
    const [forth, back] = await Promise.all([worker.settle(one, ...leases.map((l) => complete(l))), worker.settle(two, ...leases.toReversed().map((l) => complete(l)))]);
    expect(new Set([...forth.results, ...back.results].map((r) => r.verdict))).toEqual(new Set([SETTLED]));
  });
});

describe('the bound on attempts', () => {
  test('a worker that dies at every attempt: exhausted, and never granted once more', async () => {
    await enqueueOne(one, 'a');
    const fences: bigint[] = [];
    for (const attempt of [1, 2, 3]) {
      const doomed = await new WorkerUnderTest().register(one);
      const lease = only(await doomed.acquire(one, { wait: { seconds: 10n, nanos: 0 } }));
      expect(lease.attempt).toBe(attempt);
      fences.push(lease.fence);
      await queue.age(3_600_000);
    }
    await expect.poll(() => getJob(one, 'a'), { timeout: 5_000 }).toMatchObject({ state: JobState.FAILED, reason: 'EXHAUSTED', attempt: 3 });
    expect((await getJob(one, 'a')).fence).toBeGreaterThan(fences.at(-1) ?? 0n);
    const worker = await new WorkerUnderTest().register(one);
    expect(await worker.acquire(one)).toEqual([]);
  });

  test('a hand-back burns no attempt, ten times; the eleventh does', async () => {
    await queue.policy({ release_initial_ms: 0 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    for (let i = 0; i < 10; i++) {
      const lease = only(await worker.acquire(one));
      expect(lease.attempt).toBe(1);
      await worker.settle(one, release(lease));
    }
    await worker.settle(one, release(only(await worker.acquire(one, patiently))));
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, attempt: 1 });
    await worker.settle(one, release(only(await worker.acquire(one, patiently))));
    await worker.settle(one, release(only(await worker.acquire(one, patiently))));
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.FAILED, reason: 'EXHAUSTED', attempt: 3 });
  });

  test('hand-backs wait longer each time', async () => {
    await queue.policy({ release_initial_ms: 60_000 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const delays: number[] = [];
    for (let i = 0; i < 3; i++) {
      await worker.settle(one, release(only(await worker.acquire(one, patiently))));
      delays.push(Math.round(Number((await queue.sql.query('select extract(epoch from available_at - now()) / 60 as m from jobs')).rows[0].m)));
      await queue.age(3_600_000);
    }
    expect(delays).toEqual([1, 2, 4]);
  });

  test('a bound that is lowered under queued jobs ends them instead of granting them', async () => {
    await queue.policy({ retry_initial_ms: 0, retry_max_ms: 0 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    await worker.settle(one, failTechnical(only(await worker.acquire(one, patiently))));
    await queue.policy({ max_attempts: 1 });
    expect(await worker.acquire(one)).toEqual([]);
    const three = await queue.coordinator();
    await expect.poll(() => getJob(three, 'a')).toMatchObject({ state: JobState.FAILED, reason: 'EXHAUSTED' });
  });
});

describe('heartbeats', () => {
  test('extend a lease, but never beyond max_run', async () => {
    await queue.policy({ lease_ms: 60_000, max_run_ms: 100_000 });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await queue.age(50_000);
    const extended = only((await worker.extend(one, [extension(lease)])).results);
    expect(extended.verdict).toBe(LeaseExtensionVerdict.CONTINUE);
    expect(msOfDuration(extended.ttl)).toBeGreaterThan(45_000);
    expect(msOfDuration(extended.ttl)).toBeLessThanOrEqual(50_000);
    await queue.age(55_000);
    expect(only((await worker.extend(one, [extension(lease)])).results).verdict).toBe(LeaseExtensionVerdict.LOST);
    await expect.poll(() => getJob(one, 'a'), { timeout: 5_000 }).toMatchObject({ state: JobState.QUEUED, attempt: 1 });
  });

  test('carry progress to those who watch the job', async () => {
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await worker.extend(one, [{ ...extension(lease), progress: Progress.create({ percent: 40, stage: 'reading', items: 400n, bytes: 2n ** 40n, bytesTotal: 2n ** 41n }) }]);
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.LEASED, progress: { percent: 40, stage: 'reading', items: 400n, bytes: 2n ** 40n, bytesTotal: 2n ** 41n }, workerId: worker.workerId, build: worker.build });
    await worker.settle(one, release(lease));
    const [again] = await worker.acquire(one, patiently);
    expect((await getJob(one, 'a')).progress).toEqual(Progress.create());
    await expect(worker.extend(one, [{ ...extension(again ?? lease), progress: Progress.create({ items: -1n }) }])).rejects.toMatchObject({ fieldViolations: [{ field: 'extensions[0].progress.items' }] });
  });

  test('tell what was cancelled and what was lost', async () => {
    const cancelled = await enqueueOne(one, 'cancelled');
    await enqueueOne(one, 'lost');
    const worker = await new WorkerUnderTest().register(one);
    const leases = await worker.acquire(one, { maxLeases: 2 });
    await one.queue.cancelJob({ name: cancelled.name, enqueueId: cancelled.enqueueId });
    await queue.age(3_600_000);
    await expect.poll(() => getJob(one, 'lost'), { timeout: 5_000 }).toMatchObject({ state: JobState.QUEUED });
    const { results } = await worker.extend(one, leases.map(extension));
    expect(results.map((r) => r.verdict)).toEqual([LeaseExtensionVerdict.CANCELLED, LeaseExtensionVerdict.LOST]);
  });

  test('of a worker judged gone ask it to register again, while what it holds stays its own', async () => {
    const strict = await queue.coordinator({ LEASEHOLD_WORKER_SILENCE: '1s' });
    await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(strict);
    const lease = only(await worker.acquire(strict));
    await queue.sql.query("update workers set last_seen_at = now() - interval '1 hour'");
    await expect.poll(async () => (await queue.sql.query('select state from workers')).rows[0], { timeout: 10_000 }).toEqual({ state: 'gone' });
    const answer = await worker.extend(one, [extension(lease)]);
    expect(answer.directive).toBe(WorkerDirective.REREGISTER);
    expect(only(answer.results).verdict).toBe(LeaseExtensionVerdict.CONTINUE);
    expect((await one.leases.acquireLeases(worker.request())).directive).toBe(WorkerDirective.REREGISTER);
    await expect(worker.register(one)).rejects.toMatchObject({ reason: 'WORKER_GONE' });
    expect(await verdictOf(worker.settle(one, complete(lease)))).toBe(SETTLED);
  });
});

describe('builds', () => {
  test('a job that one build handed back unread is left to the others', async () => {
    await queue.policy({ release_initial_ms: 0 });
    await enqueueOne(one, 'a');
    const broken = await new WorkerUnderTest('broken@1').register(one);
    await broken.settle(one, release(only(await broken.acquire(one)), 3));
    const twin = await new WorkerUnderTest('broken@1').register(two);
    expect([await broken.acquire(one), await twin.acquire(two)]).toEqual([[], []]);
    const good = await new WorkerUnderTest('good@1').register(one);
    expect(only(await good.acquire(one))).toMatchObject({ jobId: 'a', attempt: 1 });
  });

  test('a build that hands a job back unread is not offered it again; after 3 jobs its declaration is suspended and audited', async () => {
    await queue.policy({ release_initial_ms: 0 });
    for (const id of ['a', 'b', 'c', 'd']) await enqueueOne(one, id);
    const broken = await new WorkerUnderTest('broken@1').register(one);
    const good = await new WorkerUnderTest('good@1').register(one);
    const seen: string[] = [];
    for (let i = 0; i < 3; i++) {
      const lease = only(await broken.acquire(one));
      seen.push(lease.jobId);
      await broken.settle(one, release(lease, 3));
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(await broken.acquire(one)).toEqual([]);
    expect((await queue.sql.query('select action, subject, detail from audit_events')).rows).toEqual([{ action: 'suspend_build', subject: 'image@1', detail: 'broken@1 handed 3 different jobs back unread' }]);
    expect((await one.leases.registerWorker({ workerId: broken.workerId, build: 'broken@1', concurrency: 1, contracts: [{ kind: 'image', version: 1 }] })).suspendedContracts).toEqual([{ kind: 'image', version: 1 }]);
    expect((await good.acquire(one, { maxLeases: 9 })).map((l) => [l.jobId, l.attempt])).toEqual([['d', 1], ['a', 1], ['b', 1], ['c', 1]]);
  });

  test('registration always succeeds and answers what the build cannot read of what is present', async () => {
    await queue.sql.query("insert into contracts values ('image', 2, 'open')");
    await enqueueOne(one, 'v2', { contractVersion: 2 });
    const worker = new WorkerUnderTest();
    const answer = await one.leases.registerWorker({ workerId: worker.workerId, build: 'old@1', concurrency: 1, contracts: [{ kind: 'image', version: 1 }] });
    expect(answer.unreadContracts).toEqual([{ kind: 'image', version: 2 }]);
    expect(answer.policies).toEqual([{ kind: 'image', leaseTtl: { seconds: 120n, nanos: 0 }, maxRun: { seconds: 600n, nanos: 0 }, maxAttempts: 3 }]);
  });
});

test('deleting a job by cancel revokes the holder at once, under a larger fence', async () => {
  const job = await enqueueOne(one, 'a');
  const worker = await new WorkerUnderTest().register(one);
  const lease = only(await worker.acquire(one));
  const { job: ended, cancelled } = await one.queue.cancelJob({ name: jobName('a'), enqueueId: job.enqueueId });
  expect(cancelled).toBe(true);
  expect(ended?.fence).toBeGreaterThan(lease.fence);
  expect(only((await worker.settle(one, complete(lease))).results)).toEqual({ verdict: LEASE_LOST, currentFence: ended?.fence });
});

import { EnqueueVerdict, JobState, type WatchJobResponse } from '@leasehold/queue-v1';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  complete, digestOf, enqueueOne, failContent, getJob, jobName, jobOf, only, QueueUnderTest, spec, WorkerUnderTest, type CoordinatorUnderTest,
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

const verdictsOf = async (coordinator: CoordinatorUnderTest, ...jobs: ReturnType<typeof spec>[]): Promise<number[]> => (await coordinator.queue.enqueueJobs({ jobs })).results.map((r) => r.verdict);
const { ENQUEUED, EXISTS, CONFLICT, CONTRACT_CLOSED, INVALID } = EnqueueVerdict;

/** Runs one job through to its end. */
async function finish(id: string, said = complete): Promise<void> {
  const worker = await new WorkerUnderTest().register(one);
  const lease = only(await worker.acquire(one, { wait: { seconds: 5n, nanos: 0 } }));
  expect(lease.jobId).toBe(id);
  await worker.settle(one, said(lease));
}

/** Waits until so many sessions wait for a row that somebody else has locked. */
const waitForBlocked = (n: number): Promise<void> =>
  expect.poll(async () => (await queue.sql.query("select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).rows[0].n).toBe(n);

describe('enqueueing', () => {
  test('a lost reply: the repeat answers the same job, also at another coordinator, and after it is finished with its outcome', async () => {
    const [first] = (await one.queue.enqueueJobs({ jobs: [spec('a')] })).results;
    const [again] = (await two.queue.enqueueJobs({ jobs: [spec('a')] })).results;
    expect([first?.verdict, again?.verdict]).toEqual([ENQUEUED, EXISTS]);
    expect(jobOf(again).enqueueId).toBe(jobOf(first).enqueueId);
    await finish('a');
    const [late] = (await two.queue.enqueueJobs({ jobs: [spec('a')] })).results;
    expect(late).toMatchObject({ verdict: EXISTS, job: { enqueueId: jobOf(first).enqueueId, state: JobState.SUCCEEDED, result: Buffer.from('done') } });
  });

  test('the same id with another digest is a conflict, live or finished', async () => {
    await enqueueOne(one, 'a');
    expect(await verdictsOf(one, spec('a', { contentDigest: digestOf('other') }))).toEqual([CONFLICT]);
    await finish('a');
    expect(await verdictsOf(one, spec('a', { contentDigest: digestOf('other') }))).toEqual([CONFLICT]);
  });

  test('50 equal calls at once, over two coordinators, make one job', async () => {
    const verdicts = (await Promise.all(Array.from({ length: 50 }, (_, i) => verdictsOf(i % 2 === 0 ? one : two, spec('a'))))).flat();
    expect(verdicts.filter((v) => v === ENQUEUED)).toHaveLength(1);
    expect(verdicts.filter((v) => v === EXISTS)).toHaveLength(49);
  });

  test('one bad job is refused by itself, with the field to mend', async () => {
    const { results } = await one.queue.enqueueJobs({ jobs: [spec('good'), spec('bad', { contentDigest: Buffer.alloc(3), priority: 12 }), spec('also-good'), { ...spec('x'), name: 'jobs/x' }] });
    expect(results.map((r) => r.verdict)).toEqual([ENQUEUED, INVALID, ENQUEUED, INVALID]);
    expect(results[1]?.message).toBe('content_digest has 3 bytes; a SHA-256 has 32; priority is 12; 0 to 9 is allowed');
    expect(results[3]?.message).toContain('namespaces/{namespace}/kinds/{kind}/jobs/{job}');
  });

  test('jobs of one call are granted in its order, whatever their names', async () => {
    const ids = ['m', 'z', 'a', 'k'];
    await one.queue.enqueueJobs({ jobs: ids.map((id) => spec(id)) });
    const worker = await new WorkerUnderTest().register(one);
    expect((await worker.acquire(one, { maxLeases: 4 })).map((lease) => lease.jobId)).toEqual(ids);
  });

  test('the same id twice in one call: the first counts, the second is told', async () => {
    expect(await verdictsOf(one, spec('a'), spec('a'), spec('a', { contentDigest: digestOf('other') }))).toEqual([ENQUEUED, EXISTS, CONFLICT]);
  });

  test('a contract that is not open is refused and nothing is committed; a repeat of an earlier enqueue still finds its job', async () => {
    await enqueueOne(one, 'before');
    await queue.sql.query("update contracts set state = 'closed'");
    expect(await verdictsOf(one, spec('after'), spec('before'), spec('unknown', { contractVersion: 7 }))).toEqual([CONTRACT_CLOSED, EXISTS, CONTRACT_CLOSED]);
    expect((await queue.sql.query('select job_id from jobs')).rows).toEqual([{ job_id: 'before' }]);
  });

  test('once a contract is closed no job of it can appear: an enqueue under way is waited for, a later one sees the new state', async () => {
    const closing = await queue.sql.connect();
    await closing.query('begin');
    await closing.query("select pg_advisory_xact_lock(hashtextextended('leasehold contract image@1', 0))");
    const waiting = verdictsOf(one, spec('a'));
    await waitForBlocked(1);
    await closing.query("update contracts set state = 'closed'");
    await closing.query('commit');
    closing.release();
    expect(await waiting).toEqual([CONTRACT_CLOSED]);
  });

  test('a duplicate that races with the finish never makes a second job: it looks again before it commits', async () => {
    await enqueueOne(one, 'a');
    // The finish, held open: the row is deleted and the finished one written, not yet committed.
    const finishing = await queue.sql.connect();
    await finishing.query('begin');
    await finishing.query(`with gone as (delete from jobs returning *) insert into finished_jobs
      select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'succeeded', enqueued_at, available_at, now(), now() + interval '1 day', 1, '', '', 'result', nextval('fence_seq'), 'b' from gone`);
    const duplicates = Promise.all([one, two].map((coordinator) => coordinator.queue.enqueueJobs({ jobs: [spec('a')] })));
    await finishing.query('commit');
    finishing.release();
    for (const { results } of await duplicates) expect(only(results)).toMatchObject({ verdict: EXISTS });
    expect((await queue.sql.query('select count(*)::int as n from jobs')).rows[0]).toEqual({ n: 0 });
  });

  test('the re-check takes back an insert that had waited for the finishing transaction', async () => {
    // The duplicate's steps with their snapshots laid out by hand, in the coordinator's own statements.
    const { readFile } = await import('node:fs/promises');
    const text = (name: string): Promise<string> => readFile(new URL(`${name}.sql`, import.meta.url), 'utf8');
    await enqueueOne(one, 'a');
    const finishing = await queue.sql.connect();
    const duplicate = await queue.sql.connect();
    await finishing.query('begin');
    await finishing.query(`with gone as (delete from jobs returning *) insert into finished_jobs
      select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'succeeded', enqueued_at, available_at, now(), now() + interval '1 day', 1, '', '', 'result', nextval('fence_seq'), 'b' from gone`);
    await duplicate.query('begin');
    const inserting = duplicate.query(await text('insert'), [['default'], ['image'], ['a'], [1], [0], [Buffer.from('a')], [digestOf('a')], [0], [0]]);
    await waitForBlocked(1);
    await finishing.query('commit');
    const inserted = (await inserting).rows.map((row) => row.enqueue_id);
    expect(inserted).toHaveLength(1);
    const undone = await duplicate.query(await text('undo-enqueue'), [inserted]);
    await duplicate.query('commit');
    finishing.release();
    duplicate.release();
    expect(undone.rows.map((row) => row.enqueue_id)).toEqual(inserted);
    expect((await queue.sql.query('select count(*)::int as n from jobs')).rows[0]).toEqual({ n: 0 });
  });
});

describe('cancelling', () => {
  test('names the enqueue that it means: a late cancel never hits a later enqueue of the id', async () => {
    const first = await enqueueOne(one, 'a');
    await finish('a');
    await acknowledge();
    await queue.sql.query('delete from finished_jobs');
    const second = await enqueueOne(one, 'a');
    await expect(one.queue.cancelJob({ name: jobName('a'), enqueueId: first.enqueueId })).rejects.toMatchObject({ reason: 'ENQUEUE_SUPERSEDED' });
    expect(await getJob(one, 'a')).toMatchObject({ state: JobState.QUEUED, enqueueId: second.enqueueId });
  });

  test('a repeat answers the same, at another coordinator too', async () => {
    const job = await enqueueOne(one, 'a');
    const first = await one.queue.cancelJob({ name: jobName('a'), enqueueId: job.enqueueId });
    const again = await two.queue.cancelJob({ name: jobName('a'), enqueueId: job.enqueueId });
    expect(again).toEqual(first);
    expect(first).toMatchObject({ cancelled: true, job: { state: JobState.CANCELLED } });
  });

  test('a finished job keeps its outcome', async () => {
    const job = await enqueueOne(one, 'a');
    await finish('a');
    expect(await one.queue.cancelJob({ name: jobName('a'), enqueueId: job.enqueueId })).toMatchObject({ cancelled: false, job: { state: JobState.SUCCEEDED } });
  });

  test('of an unknown id leaves a tombstone: the enqueue that was under way ends as CANCELLED', async () => {
    expect(await one.queue.cancelJob({ name: jobName('a'), enqueueId: 0n })).toMatchObject({ cancelled: true });
    expect(await one.queue.cancelJob({ name: jobName('a'), enqueueId: 0n })).toMatchObject({ cancelled: true });
    const [late] = (await two.queue.enqueueJobs({ jobs: [spec('a')] })).results;
    expect(late).toMatchObject({ verdict: EXISTS, job: { state: JobState.CANCELLED } });
    const worker = await new WorkerUnderTest().register(one);
    expect(await worker.acquire(one)).toEqual([]);
  });

  test('of an unknown id that races with its enqueue: whichever comes first, the job does not live on', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `race-${round}`;
      await Promise.all([one.queue.enqueueJobs({ jobs: [spec(id)] }), two.queue.cancelJob({ name: jobName(id), enqueueId: 0n })]);
      expect(await getJob(one, id)).toMatchObject({ state: JobState.CANCELLED });
    }
    expect((await queue.sql.query('select count(*)::int as n from jobs')).rows[0]).toEqual({ n: 0 });
  });

  test('of an enqueue that was pruned says NOT_FOUND', async () => {
    await expect(one.queue.cancelJob({ name: jobName('a'), enqueueId: 12n })).rejects.toMatchObject({ reason: 'JOB_NOT_FOUND' });
  });
});

const pull = async (coordinator: CoordinatorUnderTest, versions = [1], waitSeconds = 0n): Promise<Awaited<ReturnType<CoordinatorUnderTest['queue']['pullOutcomes']>>['outcomes']> =>
  (await coordinator.queue.pullOutcomes({ kind: 'image', contractVersions: versions, maxOutcomes: 100, wait: { seconds: waitSeconds, nanos: 0 }, producer: '' })).outcomes;

async function acknowledge(): Promise<void> {
  await queue.sql.query('update outcomes set offer_at = now()');
  await one.queue.ackOutcomes({ outcomes: (await pull(one)).map(({ name, fence }) => ({ name, fence })) });
}

describe('outcomes', () => {
  test('come at least once, to one puller at a time, until they are acknowledged by job and fence', async () => {
    await enqueueOne(one, 'a');
    await finish('a');
    const outcome = only(await pull(one));
    expect(outcome).toMatchObject({ name: jobName('a'), state: JobState.SUCCEEDED, contractVersion: 1, attempt: 1, build: 'image-worker@test', result: Buffer.from('done') });
    expect(await pull(two)).toEqual([]);
    await queue.sql.query('update outcomes set offer_at = now()');
    expect(only(await pull(two))).toEqual(outcome);
    await one.queue.ackOutcomes({ outcomes: [{ name: outcome.name, fence: outcome.fence + 1n }] });
    expect((await queue.sql.query('select count(*)::int as n from outcomes')).rows[0]).toEqual({ n: 1 });
    for (const coordinator of [one, two, one]) await coordinator.queue.ackOutcomes({ outcomes: [{ name: outcome.name, fence: outcome.fence }] });
    expect((await queue.sql.query('select count(*)::int as n from outcomes')).rows[0]).toEqual({ n: 0 });
  });

  test('are handed only to producers that declare the version', async () => {
    await queue.sql.query("insert into contracts values ('image', 2, 'open')");
    await enqueueOne(one, 'v2', { contractVersion: 2 });
    const worker = await new WorkerUnderTest().register(one, [2]);
    await worker.settle(one, complete(only(await worker.acquire(one, { contractVersions: [2] }))));
    expect(await pull(one, [1])).toEqual([]);
    expect(await pull(one, [1, 2])).toHaveLength(1);
  });

  test('wake a waiting puller at another coordinator', async () => {
    await enqueueOne(one, 'a');
    const waiting = pull(two, [1], 20n);
    await finish('a');
    expect(only(await waiting).name).toBe(jobName('a'));
  });

  test('carry a fence above every grant of their job', async () => {
    const job = await enqueueOne(one, 'a');
    const worker = await new WorkerUnderTest().register(one);
    const lease = only(await worker.acquire(one));
    await one.queue.cancelJob({ name: job.name, enqueueId: job.enqueueId });
    expect(only(await pull(one)).fence).toBeGreaterThan(lease.fence);
  });
});

describe('pruning', () => {
  const old = (interval: string): Promise<unknown> => queue.sql.query(`update finished_jobs set finished_at = now() - interval '${interval}', prune_at = now() - interval '1 second'`);
  const finished = async (): Promise<number> => (await queue.sql.query('select count(*)::int as n from finished_jobs')).rows[0].n;

  test('keeps what failed or was cancelled for longer where the policy says so, and a job says until when', async () => {
    await queue.policy({ retention_ms: 3_600_000, failed_retention_ms: 86_400_000 });
    const keptForMs = async (id: string): Promise<number> => {
      const { finishTime, pruneTime } = await getJob(one, id);
      return Number(pruneTime) - Number(finishTime);
    };
    for (const id of ['done', 'refused', 'cancelled']) await enqueueOne(one, id);
    const worker = await new WorkerUnderTest().register(one);
    const [done, refused] = await worker.acquire(one, { maxLeases: 2 });
    if (done === undefined || refused === undefined) throw new Error('two leases were expected');
    await worker.settle(one, complete(done), failContent(refused));
    await one.queue.cancelJob({ name: jobName('cancelled'), enqueueId: 0n });
    expect([await keptForMs('done'), await keptForMs('refused'), await keptForMs('cancelled')]).toEqual([3_600_000, 86_400_000, 86_400_000]);
  });

  test('removes only what is acknowledged and past its retention, and never within 15 minutes', async () => {
    await enqueueOne(one, 'acknowledged');
    await finish('acknowledged');
    await acknowledge();
    await enqueueOne(one, 'unheard');
    await finish('unheard', failContent);
    await old('10 minutes');
    const three = await queue.coordinator();
    await three.stop();
    expect(await finished()).toBe(2);
    await old('20 minutes');
    const four = await queue.coordinator();
    await expect.poll(finished, { timeout: 10_000 }).toBe(1);
    await four.stop();
    expect(await getJob(one, 'unheard')).toMatchObject({ state: JobState.FAILED });
    await expect(one.queue.getJob({ name: jobName('acknowledged') })).rejects.toMatchObject({ reason: 'JOB_NOT_FOUND' });
  });

  test('a retention below 15 minutes is refused', async () => {
    await expect(queue.sql.query('update kind_policies set retention_ms = 899999')).rejects.toThrow('kind_policies_retention_ms_check');
  });

  test('settlements are remembered for longer than any caller repeats them', async () => {
    await enqueueOne(one, 'a');
    await finish('a');
    await queue.sql.query("update settlements set settled_at = now() - interval '16 minutes'");
    const { readFile } = await import('node:fs/promises');
    const text = await readFile(new URL('prune-memory.sql', import.meta.url), 'utf8');
    expect((await queue.sql.query(text, [100])).rows[0]).toMatchObject({ settlements: 0 });
    await queue.sql.query("update settlements set settled_at = now() - interval '21 minutes'");
    await queue.sql.query(text, [100]);
    expect((await queue.sql.query('select count(*)::int as n from settlements')).rows[0]).toEqual({ n: 0 });
  });

  test('partitions are made ahead and dropped when they are empty', async () => {
    await queue.sql.query("create table finished_jobs_20200101 partition of finished_jobs for values from ('2020-01-01Z') to ('2020-01-02Z')");
    const { rows } = await queue.sql.query('select ensure_finished_partitions(5) as made, drop_empty_finished_partitions() as dropped');
    expect(rows[0]).toEqual({ made: 2, dropped: 1 });
  });
});

describe('reading', () => {
  test('a list pages through live and finished jobs, newest enqueue first, each once', async () => {
    for (let i = 0; i < 7; i++) await enqueueOne(one, `j${i}`);
    await finish('j0');
    const parent = 'namespaces/default/kinds/image';
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await one.queue.listJobs({ parent, pageSize: 3, pageToken, states: [] });
      seen.push(...page.jobs.map((job) => job.name));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => jobName(`j${i}`)));
    const { jobs, nextPageToken } = await one.queue.listJobs({ parent: 'namespaces/-/kinds/image', pageSize: 5, pageToken: '', states: [JobState.QUEUED] });
    expect(jobs).toHaveLength(5);
    await expect(one.queue.listJobs({ parent, pageSize: 5, pageToken: nextPageToken, states: [] })).rejects.toMatchObject({ fieldViolations: [{ field: 'page_token' }] });
  });

  test('a moving row is never missed: reads over live and finished jobs are one statement', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    await one.queue.enqueueJobs({ jobs: ids.map((id) => spec(id)) });
    const worker = await new WorkerUnderTest().register(one);
    const leases = await worker.acquire(one, { maxLeases: 30 });
    let moving = true;
    const settling = Promise.all(leases.map((lease) => worker.settle(one, complete(lease)))).finally(() => (moving = false));
    do {
      const { jobs, missing } = await two.queue.batchGetJobs({ names: ids.map((id) => jobName(id)) });
      expect([jobs.length, missing.length]).toEqual([30, 0]);
    } while (moving);
    await settling;
  });

  test('a watch shows every state to the end, also of a job that moves while it starts', async () => {
    await enqueueOne(one, 'a');
    const shown: number[] = [];
    const messages: AsyncIterable<WatchJobResponse> = two.queue.watchJob({ name: jobName('a') });
    for await (const { job } of messages) {
      if (job === undefined) continue;
      shown.push(job.state);
      if (job.state === JobState.QUEUED) await finish('a');
    }
    expect(shown.at(0)).toBe(JobState.QUEUED);
    expect(shown.at(-1)).toBe(JobState.SUCCEEDED);
  });
});

test('64-bit ids survive the way through proto, SQL and back', async () => {
  const large = 9_007_199_254_740_993n;
  await queue.sql.query("select setval('fence_seq', $1)", [large - 1n]);
  expect((await enqueueOne(one, 'a')).enqueueId).toBe(large);
  await queue.sql.query('select advance_fence_seq()');
});

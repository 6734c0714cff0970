import { createPool, type Database } from '@leasehold/postgres';
import { createLogger, createRegistry, Duty } from '@leasehold/service';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { enqueueOne, QueueUnderTest } from '../testing/queue-under-test.js';
import { prune } from './prune.js';

const logger = createLogger({ service: 'test', level: 'fatal' });
let queue: QueueUnderTest;
let db: Database;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
  db = createPool({ connectionString: queue.databaseUrl, applicationName: 'test', logger });
});
afterAll(async () => {
  await db.stop();
  await queue.close();
});

const tables = ['finished_jobs', 'settlements', 'job_events', 'unreadable_reports', 'workers'] as const;
const old = 7;

beforeEach(async () => {
  await queue.reset();
  const coordinator = await queue.coordinator();
  for (let n = 0; n < old; n++) {
    await enqueueOne(coordinator, `job-${n}`);
    await coordinator.queue.cancelJob({ name: `namespaces/default/kinds/image/jobs/job-${n}`, enqueueId: 0n });
  }
  await coordinator.stop();
  await queue.sql.query(`truncate outcomes, job_events;
    update finished_jobs set finished_at = now() - interval '1 year', prune_at = now() - interval '1 month';
    insert into settlements select decode(lpad(to_hex(n), 32, '0'), 'hex'), sha256('x'), n, now() - interval '1 year' from generate_series(1, ${old}) n;
    insert into job_events (at, event, namespace, kind, job_id, enqueue_id, fence, current_fence, worker_id, detail) select now() - interval '1 year', 'lease_lost', 'a', 'image', 'b', n, 1, 2, '', '' from generate_series(1, ${old}) n;
    insert into unreadable_reports select 'image', 1, 'build', n, now() - interval '1 year' from generate_series(1, ${old}) n;
    insert into workers (worker_id, build, concurrency, state, registered_at, last_seen_at, gone_at) select 'worker-' || n, 'build', 1, 'gone', now(), now(), now() - interval '1 year' from generate_series(1, ${old}) n`);
});

const left = async (): Promise<number[]> => Promise.all(tables.map(async (table) => (await queue.sql.query(`select count(*)::int as n from ${table}`)).rows[0].n));

test('one call removes at most so many rows of each table, says that there is more, and 0 once there is none', async () => {
  const run = prune(db, logger, 3);
  expect(await left()).toEqual([7, 7, 7, 7, 7]);
  expect([await run(), await left()]).toEqual([15, [4, 4, 4, 4, 4]]);
  expect([await run(), await left()]).toEqual([15, [1, 1, 1, 1, 1]]);
  expect([await run(), await left()]).toEqual([0, [0, 0, 0, 0, 0]]);
});

test('the duty goes on at once while there is more, whichever table it is in', async () => {
  await queue.sql.query('truncate finished_jobs, settlements, job_events, unreadable_reports');
  const duty = new Duty({ name: 'prune', everyMs: 3_600_000, run: prune(db, logger, 2), logger, registry: createRegistry('test') });
  await duty.start();
  await expect.poll(left, { timeout: 10_000 }).toEqual([0, 0, 0, 0, 0]);
  await duty.stop();
});

test('what is removed is found by an index, in the order of its time', async () => {
  const { rows } = await queue.sql.query<{ indexdef: string }>("select indexdef from pg_indexes where tablename = any ($1)", [[...tables]]);
  for (const column of ['prune_at', 'settled_at', 'at', 'reported_at', 'gone_at']) expect(rows.some(({ indexdef }) => indexdef.includes(`USING btree (${column})`))).toBe(true);
});

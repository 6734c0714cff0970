import { createPool } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enqueueOne, QueueUnderTest } from '../testing/queue-under-test.js';
import { checkFences } from './fence-check.js';

let queue: QueueUnderTest;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
});
afterAll(() => queue.close());

const check = async (): Promise<Awaited<ReturnType<typeof checkFences>>> => {
  const db = createPool({ connectionString: queue.databaseUrl, applicationName: 'test', logger: createLogger({ service: 'test', level: 'fatal' }) });
  try {
    return await checkFences(db);
  } finally {
    await db.stop();
  }
};

test('a coordinator refuses a sequence behind a fence that it knows, and says how to mend it', async () => {
  const one = await queue.coordinator();
  await enqueueOne(one, 'a');
  await queue.sql.query("select setval('fence_seq', 1000)");
  expect((await check()).detail).toContain('select advance_fence_seq()');
  await expect(queue.coordinator()).rejects.toThrow('advance_fence_seq');
  await queue.sql.query('select advance_fence_seq()');
  expect(await check()).toMatchObject({ ok: true });
});

test('a coordinator refuses a sequence with a cache', async () => {
  await queue.sql.query('alter sequence fence_seq cache 20');
  expect((await check()).detail).toContain('CACHE 20');
  await queue.sql.query('alter sequence fence_seq cache 1');
});

test('a coordinator refuses a cluster that may forget a commit that it has answered', async () => {
  const { rows } = await queue.sql.query('select current_database() as name');
  await queue.sql.query(`alter database "${rows[0].name}" set synchronous_commit = off`);
  expect((await check()).detail).toContain('synchronous_commit');
  await queue.sql.query(`alter database "${rows[0].name}" reset synchronous_commit`);
});

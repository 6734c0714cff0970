import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asService, prepare } from './testing/queue-under-test.js';

// That this role can do all that the coordinator does, every other test of this project shows: their coordinators connect as it.
let service: pg.Client;
let owner: pg.Client;
beforeAll(async () => {
  const { connectionString } = await testDatabase();
  await prepare(connectionString);
  owner = new pg.Client({ connectionString });
  await owner.connect();
  service = new pg.Client({ connectionString: asService(connectionString) });
  await service.connect();
});
afterAll(async () => {
  await service.end();
  await owner.end();
});

test.each([
  'update kind_policies set max_attempts = 100', 'delete from contracts', "insert into kind_policies (kind) values ('mine')", 'delete from schema_version', 'update settlements set enqueue_id = 1',
  'update job_events set detail = $$forged$$', 'delete from audit_events', 'truncate jobs', 'drop table jobs', 'alter table jobs disable trigger all', 'create table mine (id int)', 'create temporary table mine (id int)',
  "select setval('fence_seq', 1)", 'alter sequence fence_seq cache 100', 'select advance_fence_seq()', 'drop function ensure_finished_partitions(integer)', 'drop table finished_jobs_other', "copy jobs to program 'true'",
])('the coordinator\'s role cannot: %s', async (statement) => {
  await expect(service.query(statement)).rejects.toThrow(/permission denied|must be owner/);
});

test('what it may have the owner do is two things, and names in front of the owner\'s mislead neither', async () => {
  const { rows } = await owner.query<{ name: string; config: string[] }>("select proname as name, proconfig as config from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1");
  expect(rows).toEqual(['drop_empty_finished_partitions', 'ensure_finished_partitions'].map((name) => ({ name, config: ['search_path=public, pg_temp'] })));
  expect((await service.query('select ensure_finished_partitions(5) as made')).rows).toEqual([{ made: 2 }]);
});

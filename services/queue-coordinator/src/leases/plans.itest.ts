import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueueUnderTest } from '../testing/queue-under-test.js';

let queue: QueueUnderTest;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
  // A deep queue, of which nothing was leased when it was analysed: the state in which the planner believes the partial indexes over leased rows to be empty.
  await queue.sql.query(`insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at)
    select 'default', 'image', 'j' || i, nextval('fence_seq'), 1, 0, '', '', 'queued', now(), now() - interval '1 hour' from generate_series(1, 20000) i`);
  await queue.sql.query('analyze jobs');
});
afterAll(() => queue.close());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

/** The ways in which a statement reads the table jobs. */
async function accessPaths(path: string, params: unknown[]): Promise<string[]> {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const client = await queue.sql.connect();
  try {
    await client.query('begin');
    // The generic plan is what a prepared statement ends up with.
    await client.query('set local plan_cache_mode = force_generic_plan');
    const { rows } = await client.query(`explain (format json) ${text}`, params);
    const nodes = flatten(rows[0]['QUERY PLAN'][0].Plan);
    return [...new Set(nodes.filter((n) => /Scan/.test(n['Node Type']) && (n['Relation Name'] === 'jobs' || n['Index Name']?.startsWith('jobs_') === true)).map((n) => n['Index Name'] ?? n['Node Type']))].toSorted();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 64 }, (_, i) => make(i));

test('a settlement finds its rows by enqueue id, never by a partial index over leased rows', async () => {
  const paths = await accessPaths('settle.sql', [
    many((i) => BigInt(i)), many(() => randomBytes(16)), many(() => 'complete'), many(() => false), many(() => ''), many(() => Buffer.from('r')), many(() => randomBytes(32)), many(() => false),
  ]);
  expect(paths).toEqual(['jobs_by_enqueue']);
});

test('a heartbeat finds its rows by enqueue id', async () => {
  expect(await accessPaths('extend.sql', [many((i) => BigInt(i)), many(() => randomBytes(16)), many(() => -1), many(() => ''), many(() => 0n), many(() => 0n), many(() => 0n)])).toEqual(['jobs_by_enqueue']);
});

test('a claim reads the claim index in order and writes by row id', async () => {
  const paths = await accessPaths('grant-next.sql', ['image', 'b', [1, 1], [1, 0], [new Date(0), new Date(0)], many(() => randomBytes(16)), many(() => 'w'), many(() => 1n)]);
  expect(paths).toEqual(['Tid Scan', 'jobs_claim']);
});

test('a grant of what was proposed finds its rows by enqueue id, and writes by row id', async () => {
  const paths = await accessPaths('grant-proposed.sql', ['image', 'b', [1], many((i) => BigInt(i)), many(() => randomBytes(16)), many(() => 'w'), many(() => 1n)]);
  expect(paths).toEqual(['Tid Scan', 'jobs_by_enqueue']);
});

test('beside a deep queue of another dispatcher, BullMQ\'s relay and reconciler read their own jobs only', async () => {
  expect(await accessPaths('../dispatch/bullmq/undispatched.sql', [['import'], 500])).toEqual(['jobs_undispatched']);
  expect(await accessPaths('../dispatch/bullmq/overdue.sql', [['import'], [1], 1_500, 20])).toEqual(['jobs_claim']);
  expect(await accessPaths('../dispatch/bullmq/page.sql', ['import', 1, 0, new Date(0), 0n, 200])).toEqual(['jobs_claim']);
  expect(await accessPaths('../dispatch/bullmq/live-jobs.sql', [many((i) => BigInt(i))])).toEqual(['jobs_by_enqueue']);
});

test('expiry reads leases by their end', async () => {
  expect(await accessPaths('expire.sql', [500])).toContain('jobs_leased_by_expiry');
});

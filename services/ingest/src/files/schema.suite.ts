import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World, type Running } from '../testbed/ingest.fixture.js';

describe('the tables', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterAll(() => world.end());

  // The statements never try these; a hand at the console, or a later version with a mistake, might.
  describe('the table refuses what no card can be', () => {
    test.each([
      ['a state that is none', "state = 'processing'", 'files_state'],
      ['QUEUED without a confirmed version', "state = 'queued', generation = 1", 'files_confirmed'],
      ['EXPIRED after a confirmation', "state = 'expired', generation = 1", 'files_'],
      ['READY without a rendition', "state = 'ready'", 'files_'],
      ['a rejection of a card that is not REJECTED', "rejection_reason = 'CORRUPT'", 'files_rejection'],
      ['a rendition of a card that is not READY', "rendition_key = 'renditions/a/b/1/photo.webp'", 'files_rendition'],
      ['a relay of a card that is not QUEUED', 'relay_due = now()', 'files_relay'],
      ['a cancel of a card that is not deleted', 'cancel_due = now()', 'files_cancel'],
      ['a fence that is negative', 'outcome_fence = -1', 'files_outcome'],
      ['an outcome without its time', 'outcome_fence = 5', 'files_outcome'],
      ['DELETING without its time', "state = 'deleting'", 'files_delete'],
      ['a box of no pixels', 'max_width = 0', 'files_options'],
      ['an id that is no name', "file_id = '../x'", 'files_file_id'],
    ])('%s', async (_, change, constraint) => {
      const file = await ingest.created();
      await expect(world.db.pool.query(`update files set ${change} where file_id = $1`, [file.name.split('/')[3]])).rejects.toMatchObject({ code: '23514', constraint: expect.stringContaining(constraint) });
    });

    test.each([
      ['a job id that is not of this import and generation', "job_id = 'another.1'", 'import_jobs_job'],
      ['a relay of what is cancelled', 'cancel_time = now(), cancel_due = now()', 'import_jobs_cancel'],
      ['a cancel without its time', 'relay_due = null, cancel_due = now()', 'import_jobs_cancel'],
      ['a generation before the first', "generation = 0, job_id = import_id || '.0'", 'import_jobs_generation'],
    ])('of imports\' jobs: %s', async (_, change, constraint) => {
      const { name } = await ingest.submit();
      await expect(world.db.pool.query(`update import_jobs set ${change} where import_id = $1`, [name.split('/')[3]])).rejects.toMatchObject({ code: '23514', constraint });
    });

    test('a job id that is not of this file and generation', async () => {
      const { file } = await ingest.queued();
      await expect(world.db.pool.query("update files set job_id = 'another.1' where file_id = $1", [file.name.split('/')[3]])).rejects.toMatchObject({ constraint: 'files_job' });
    });
  });

  test('every look for due work finds it by an index, however many cards are at rest', async () => {
    await world.db.pool.query(`insert into files (namespace, file_id, max_width, max_height, quality, effort, expire_time)
      select 'bulk', 'f' || n, 1, 1, 1, 1, now() + interval '1 day' from generate_series(1, 20000) as n`);
    await world.db.pool.query(`insert into import_jobs (namespace, import_id, generation, job_id, job_contract_version, job_payload, job_digest, relay_due, relayed_at)
      select 'n' || n % 100, 'i' || n, 1, 'i' || n || '.1', 1, '', sha256(''), null, now() from generate_series(1, 20000) as n`);
    await world.db.pool.query('analyze files');
    await world.db.pool.query('analyze import_jobs');
    const plans = {
      files_relay_due: "select 1 from files where relay_due <= now() order by relay_due limit 100 for update skip locked",
      files_cancel_due: "select 1 from files where cancel_due <= now() order by cancel_due limit 20 for update skip locked",
      files_sweep_due: "select 1 from files where sweep_due <= now() order by sweep_due limit 10 for update skip locked",
      files_expiring: "select 1 from files where state = 'pending' and expire_time <= now() order by expire_time limit 200 for update skip locked",
      files_relayed: "select 1 from files where state = 'queued' and relay_due is null and relayed_at < now() - interval '10 minutes' order by relayed_at limit 200 for update skip locked",
      files_queued: "select count(*) from (select from files where namespace = 'bulk' and state = 'queued' limit 100000) as counted",
      import_jobs_relay_due: 'select from import_jobs where relay_due <= now() order by relay_due limit 100 for update skip locked',
      import_jobs_cancel_due: 'select from import_jobs where cancel_due <= now() order by cancel_due limit 20 for update skip locked',
      import_jobs_relayed: "select from import_jobs where relay_due is null and cancel_due is null and relayed_at < now() - interval '10 minutes' order by relayed_at limit 200 for update skip locked",
      import_jobs_pkey: "select count(*) from (select from import_jobs where namespace = 'bulk' and cancel_due is null limit 10000) as counted",
      files_by_seq: "select * from files where namespace = 'bulk' and state = any('{pending}') and seq < 100 order by seq desc limit 51",
    };
    for (const [index, text] of Object.entries(plans)) {
      const { rows } = await world.db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index);
    }
  });
});

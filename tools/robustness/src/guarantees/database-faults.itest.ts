import { FilesClient, FileState, Fault, type File } from '@leasehold/client';
import { SettlementVerdict } from '@leasehold/lease-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, durationOfMs, status, type ClientOf } from '@leasehold/rpc';
import { startPostgres, type PostgresServer } from '@leasehold/test-stack';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeaseTaker } from '../checks/lease-taker.js';
import { jobRecord } from '../checks/records.js';
import { databasesOn } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { handOver, once } from '../photos/hand-over.js';
import { photoOf, sha256 } from '../photos/photo.js';

// A PostgreSQL that lives and does not do what is wanted of it: it drops LISTEN, has no connection left, waits for a lock, or may not clean up.

let server: PostgresServer;
let fleet: Fleet;
let worker: Member;
let queue: ClientOf<typeof QueueServiceService>;
/** The test's own way in, which needs no new connection. */
let admin: pg.Client;
beforeAll(async () => {
  server = await startPostgres({ settings: { max_connections: '20', superuser_reserved_connections: '0', reserved_connections: '0' } });
  const small = { LEASEHOLD_QUEUE_DATABASE_CONNECTIONS: '3' };
  fleet = await Fleet.prepare({ databases: await databasesOn(server), coordinatorEnv: small, ingestEnv: { LEASEHOLD_DATABASE_CONNECTIONS: '3', LEASEHOLD_WATCH_FLOOR: '1s' } });
  admin = new pg.Client({ connectionString: server.connectionString() });
  await admin.connect();
  worker = fleet.worker();
  await fleet.start();
  await worker.start();
  queue = createClient(QueueServiceService, fleet.coordinatorAddresses, { defaultTimeoutMs: 20_000 });
}, 60_000);
afterAll(async () => {
  queue.close();
  await fleet.end();
  await admin.end();
  await server.stop();
});

const patience = { timeout: 30_000 };
const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });
const nobodyFell = (): void => expect(fleet.members.flatMap((member) => member.fell)).toEqual([]);

async function expectMade(number: number): Promise<void> {
  const card = await handOver(fleet.files, (await photoOf(number)).bytes);
  expect((await final(card)).state).toBe(FileState.READY);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts: 1 });
}

async function refusalsOf(count: number, call: () => Promise<unknown>): Promise<unknown[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => call().then(() => 'answered', (error: unknown) => error)));
  return answers.map((answer) => (answer instanceof Fault ? { code: answer.code, reason: answer.reason } : answer));
}

test('while LISTEN is cut again and again, at coordinator and ingest, photos are still made and watchers still hear of it; it holds again by itself', async () => {
  const cut = async (): Promise<number> => (await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %'")).rowCount ?? 0;
  let [cutting, lost] = [true, 0];
  const cutter = (async () => { while (cutting) lost += await cut(); })();
  await expectMade(1);
  await expect.poll(() => lost).toBeGreaterThan(2);
  cutting = false;
  await cutter;
  for (const member of [fleet.coordinator, fleet.ingest]) await member.logged('listener_reopened');
  await expect.poll(async () => (await admin.query("select 1 from pg_stat_activity where query ilike 'listen %'")).rowCount, patience).toBe(2);
  nobodyFell();
}, 90_000);

test('a transaction that keeps its snapshot open in the queue database holds up no claim', async () => {
  await worker.stop();
  const holder = await fleet.queue.connect();
  const taker = await LeaseTaker.at(fleet.coordinatorAddresses[0] ?? '');
  try {
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from jobs');
    for (let round = 0; round < 3; round++) {
      const jobs = Array.from({ length: 100 }, (_, i) => `snapshot-${round}-${i}`).map((id) => (
        { name: `namespaces/default/kinds/image/jobs/${id}`, contractVersion: 1, payload: Buffer.from(id), contentDigest: sha256(Buffer.from(id)), priority: 0, delay: undefined }));
      await queue.enqueueJobs({ jobs });
      const leases = await taker.take(100, 2_000);
      expect(leases).toHaveLength(100);
      expect((await taker.complete(leases)).every(({ verdict }) => verdict === SettlementVerdict.SETTLED)).toBe(true);
    }
    expect((await holder.query('select 1 from jobs')).rowCount).toBe(0);
    expect((await admin.query("select 1 from pg_stat_activity where backend_xmin is not null and datname = 'queue' and state = 'idle in transaction'")).rowCount).toBe(1);
  } finally {
    await holder.query('rollback');
    holder.release();
    taker.close();
  }
  await fleet.queue.query('delete from outcomes');
}, 60_000);

test('when every connection of a coordinator waits for a lock, its callers hear UNAVAILABLE, none waits for ever, and afterwards it serves as before', async () => {
  const holder = await fleet.queue.connect();
  const name = 'namespaces/default/kinds/image/jobs/snapshot-0-0';
  try {
    await holder.query('begin');
    await holder.query('lock table finished_jobs in access exclusive mode');
    const refusals = await refusalsOf(9, () => queue.getJob({ name }));
    expect(refusals).toEqual(Array.from({ length: 9 }, () => ({ code: status.UNAVAILABLE, reason: 'DATABASE_UNAVAILABLE' })));
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect((await queue.getJob({ name })).job?.name).toBe(name);
  nobodyFell();
}, 60_000);

test('a call whose time is up while it waits for a lock may be repeated: there is one job, and one picture', async () => {
  const timeUp = { code: status.DEADLINE_EXCEEDED };
  const name = 'namespaces/default/kinds/image/jobs/deadline';
  const spec = { name, contractVersion: 1, payload: Buffer.alloc(0), contentDigest: sha256(Buffer.alloc(0)), priority: 0, delay: durationOfMs(3_600_000) };
  const { file } = await fleet.files.create({ options: { effort: 1 } });
  const { bytes } = await photoOf(9);
  const uploaded = await fleet.files.upload(file.name, () => once(bytes));
  const [jobs, cards] = [await fleet.queue.connect(), await fleet.records.connect()];
  const hurried = new FilesClient({ address: fleet.ingestAddresses, timeoutMs: 400 });
  try {
    await jobs.query('begin');
    await jobs.query('lock table jobs in share mode');
    await expect(queue.enqueueJobs({ jobs: [spec] }, { timeoutMs: 400 })).rejects.toMatchObject(timeUp);
    await jobs.query('rollback');
    await cards.query('begin');
    await cards.query('select 1 from files where file_id = $1 for update', [file.name.split('/')[3]]);
    await expect(hurried.confirm(file.name, uploaded)).rejects.toMatchObject(timeUp);
    await cards.query('rollback');
  } finally {
    hurried.close();
    jobs.release(true);
    cards.release(true);
  }
  const { results: [answer] } = await queue.enqueueJobs({ jobs: [spec] });
  const { rows } = await fleet.queue.query<{ enqueue_id: string }>("select enqueue_id from jobs where job_id = 'deadline'");
  expect(rows).toEqual([{ enqueue_id: String(answer?.job?.enqueueId) }]);
  await queue.cancelJob({ name, enqueueId: 0n });
  const card = await fleet.files.confirm(file.name, uploaded);
  expect(card).toMatchObject({ state: FileState.QUEUED, generation: 1 });
  await worker.start();
  expect((await final(card)).state).toBe(FileState.READY);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ state: 'succeeded', attempts: 1 });
}, 60_000);

test('when PostgreSQL has no connection left, callers of both services hear UNAVAILABLE, no process ends, and everything recovers by itself', async () => {
  await expectMade(2);
  const taken: pg.Client[] = [];
  const cutAll = "select pg_terminate_backend(pid) from pg_stat_activity where datname in ('queue', 'records')";
  const takeOne = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: server.connectionString(), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      taken.push(client);
      return true;
    } catch {
      await client.end().catch(() => undefined);
      return false;
    }
  };
  try {
    const services = async (): Promise<number> => {
      const { rowCount } = await admin.query(cutAll);
      while (await takeOne());
      return rowCount ?? 0;
    };
    await expect.poll(services, patience).toBe(0);
    const name = 'namespaces/default/kinds/image/jobs/snapshot-0-0';
    expect(await refusalsOf(3, () => queue.getJob({ name }))).toEqual(Array.from({ length: 3 }, () => ({ code: status.UNAVAILABLE, reason: 'DATABASE_UNAVAILABLE' })));
    expect(await refusalsOf(1, () => fleet.files.get(fleet.files.nameOf('nobody')))).toEqual([{ code: status.UNAVAILABLE, reason: 'DATABASE_UNAVAILABLE' }]);
    // Any slot that some other session leaves is taken again, or a service would have it.
    for (const member of [fleet.coordinator, fleet.ingest]) await expect.poll(async () => [await services(), (await member.http('/readyz')).status], patience).toEqual([0, 503]);
  } finally {
    await Promise.all(taken.map((client) => client.end()));
  }
  await expectMade(3);
  for (const member of [fleet.coordinator, fleet.ingest]) await expect.poll(async () => (await member.http('/readyz')).status, patience).toBe(200);
  nobodyFell();
}, 90_000);

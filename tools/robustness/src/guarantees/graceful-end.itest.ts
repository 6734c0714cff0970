import { FileState, type File } from '@leasehold/client';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, durationOfMs } from '@leasehold/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HealthWatch } from '../checks/health-watch.js';
import { jobIdOf, jobRecord, journalOf } from '../checks/records.js';
import { databasesOfTheRun, type Databases } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { SilentProxy } from '../network/silent-proxy.js';
import { handOver, once } from '../photos/hand-over.js';
import { photoOf, sha256 } from '../photos/photo.js';

// How each service leaves: what it has begun it ends, and it never takes longer than it may.

let databases: Databases;
let fleet: Fleet;
beforeAll(async () => {
  databases = await databasesOfTheRun();
  fleet = await Fleet.prepare({ databases });
  await fleet.start();
}, 60_000);
afterAll(() => fleet.end());

const patience = { timeout: 30_000 };
const ended = { code: 0, signal: null };
const final = (card: File): Promise<File> => fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });

/** Asks the service to stop, and again; what balancers see must come before anything else ends. */
async function expectLeavesInOrder(member: Member, address: string, o: { readonly call: Promise<unknown>; readonly let: () => Promise<unknown> }): Promise<void> {
  const health = new HealthWatch(address);
  await expect.poll(() => health.told).toEqual(['SERVING']);
  let answered = false;
  const call = o.call.finally(() => { answered = true; });
  const left = member.stop();
  await health.ended;
  expect(health.told).toEqual(['SERVING', 'NOT_SERVING']);
  expect(answered).toBe(false);
  const again = member.stop();
  await member.logged('stop_signal_ignored');
  await o.let();
  await call;
  expect(await Promise.all([left, again])).toEqual([ended, ended]);
  expect(member.events('service_stopping')).toHaveLength(1);
  expect(member.events('service_stop_unclean')).toEqual([]);
}

test('a coordinator says NOT_SERVING first, answers the call under way, ignores a second signal, and leaves with 0', async () => {
  const client = createClient(QueueServiceService, fleet.coordinatorAddresses, { defaultTimeoutMs: 20_000 });
  const spec = { name: 'namespaces/calls/kinds/image/jobs/waits', contractVersion: 1, payload: Buffer.alloc(0), contentDigest: sha256(Buffer.alloc(0)), priority: 0, delay: durationOfMs(3_600_000) };
  await client.enqueueJobs({ jobs: [spec] });
  const holder = await fleet.queue.connect();
  await holder.query('begin');
  await holder.query("select 1 from jobs where job_id = 'waits' for update");
  const call = client.cancelJob({ name: spec.name, enqueueId: 0n });
  const waits = async (): Promise<number | null> => (await fleet.queue.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).rowCount;
  await expect.poll(waits, patience).toBe(1);
  await expectLeavesInOrder(fleet.coordinator, fleet.coordinatorAddresses[0] ?? '', { call, let: () => holder.query('rollback') });
  expect(await call).toMatchObject({ cancelled: true });
  holder.release();
  client.close();
  await fleet.coordinator.start();
}, 60_000);

test('a worker keeps its lease by heartbeats for as long as it drains, ignores a second signal, ends its run, and leaves with 0', async () => {
  const worker = await fleet.worker({ failpoints: ['encoded'] }).start();
  const card = await handOver(fleet.files, (await photoOf(2)).bytes);
  await worker.logged('failpoint_reached', { job_id: jobIdOf(card) });
  const left = worker.stop();
  await worker.logged('worker_draining');
  expect((await worker.http('/readyz')).status).toBe(503);
  const again = worker.stop();
  await worker.logged('stop_signal_ignored');
  // Twice the lease of 3 s.
  const outlived = async (): Promise<boolean> => (await fleet.queue.query("select 1 from jobs where job_id = $1 and now() > granted_at + interval '6 seconds'", [jobIdOf(card)])).rowCount === 1;
  await expect.poll(outlived, patience).toBe(true);
  worker.signal('SIGUSR2');
  expect(await Promise.all([left, again])).toEqual([ended, ended]);
  expect((await final(card)).state).toBe(FileState.READY);
  expect(await jobRecord(fleet.queue, card)).toMatchObject({ attempts: 1 });
  expect(await journalOf(fleet.queue, card)).toEqual([]);
  expect(worker.events('worker_draining')).toHaveLength(1);
}, 60_000);

test('an ingest says NOT_SERVING first, answers the call under way, ignores a second signal, and leaves with 0', async () => {
  const { file } = await fleet.files.create({ options: { effort: 1 } });
  const { bytes } = await photoOf(1);
  const uploaded = await fleet.files.upload(file.name, () => once(bytes));
  const holder = await fleet.records.connect();
  await holder.query('begin');
  await holder.query('select 1 from files where file_id = $1 for update', [file.name.split('/')[3]]);
  const call = fleet.files.confirm(file.name, uploaded);
  const waits = async (): Promise<number | null> => (await fleet.records.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).rowCount;
  await expect.poll(waits, patience).toBe(1);
  await expectLeavesInOrder(fleet.ingest, fleet.ingestAddresses[0] ?? '', { call, let: () => holder.query('rollback') });
  expect(await call).toMatchObject({ state: FileState.QUEUED });
  holder.release();
  await fleet.ingest.start();
}, 60_000);

test('services whose PostgreSQL has fallen silent end at their outer deadline with 1, each with a line that names what hung', async () => {
  const { hostname: host, port } = new URL(databases.queue);
  const proxy = await SilentProxy.before({ host, port: Number(port) });
  const hurried = { LEASEHOLD_STOP_TIMEOUT: '2s' };
  const stuck = await Fleet.prepare({ databases: { queue: proxy.through(databases.queue), records: proxy.through(databases.records) }, coordinatorEnv: hurried, ingestEnv: hurried });
  try {
    await stuck.start();
    proxy.fallSilent();
    const ends = await Promise.all([stuck.coordinator.stop(), stuck.ingest.stop()]);
    expect(ends).toEqual([{ code: 1, signal: null }, { code: 1, signal: null }]);
    for (const member of [stuck.coordinator, stuck.ingest]) {
      const [line, ...more] = member.events('service_stop_unclean');
      expect(more).toEqual([]);
      // Whatever of it waits for PostgreSQL when its time is over: a loop in mid-statement, the listener, the pool.
      const hung = member.events('component_stop_hung').map((event) => event['component']);
      expect(hung.length).toBeGreaterThan(0);
      expect(line).toMatchObject({ hung, msg: expect.stringContaining(`did not stop cleanly: ${hung.join(', ')}`) });
    }
  } finally {
    await proxy.stop();
    await stuck.end();
  }
}, 60_000);

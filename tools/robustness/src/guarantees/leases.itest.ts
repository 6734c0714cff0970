import { SettlementVerdict, type Lease } from '@leasehold/lease-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient } from '@leasehold/rpc';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LeaseTaker } from '../checks/lease-taker.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { longPolicy } from '../fleet/kind-policy.js';
import { sha256 } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Two coordinators without workers: leases are taken by hand.

let fleet: Fleet;
let takers: LeaseTaker[];
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), coordinators: 2, policy: longPolicy });
  await Promise.all(fleet.coordinators.map((coordinator) => coordinator.start()));
  takers = await Promise.all([0, 1, 2, 3].map((i) => LeaseTaker.at(fleet.coordinatorAddresses[i % 2] ?? '')));
});
afterAll(async () => {
  for (const taker of takers) taker.close();
  await fleet.end();
});

async function enqueue(...ids: readonly string[]): Promise<void> {
  const client = createClient(QueueServiceService, fleet.coordinatorAddresses);
  const jobs = ids.map((id) => ({ name: `namespaces/default/kinds/image/jobs/${id}`, contractVersion: 1, payload: Buffer.from(id), contentDigest: sha256(Buffer.from(id)), priority: 0, delay: undefined }));
  try {
    await client.enqueueJobs({ jobs });
  } finally {
    client.close();
  }
}

const highest = (leases: readonly Lease[]): bigint => leases.reduce((most, { fence }) => (fence > most ? fence : most), 0n);

test('each job is granted once by two coordinators to four workers that take at the same time, each grant under a fence of its own', async () => {
  await enqueue(...Array.from({ length: 120 }, (_, i) => `many-${i}`));
  const taken = await Promise.all(takers.map(async (taker) => {
    const all: Lease[] = [];
    for (let leases = await taker.take(7); leases.length > 0; leases = await taker.take(7)) all.push(...leases);
    expect((await taker.complete(all)).every(({ verdict }) => verdict === SettlementVerdict.SETTLED)).toBe(true);
    return all;
  }));
  expect(taken.every((leases) => leases.length > 0)).toBe(true);
  const leases = taken.flat();
  expect(new Set(leases.map(({ jobId }) => jobId)).size).toBe(120);
  expect([leases.length, new Set(leases.map(({ fence }) => fence)).size]).toEqual([120, 120]);
});

test('jobs are granted oldest due first, and a first one that somebody else has locked holds up none behind it', async () => {
  for (const id of ['order-0', 'order-1', 'order-2', 'order-3']) await enqueue(id);
  const [taker] = takers;
  if (taker === undefined) throw new Error('nobody takes');
  const holder = await fleet.queue.connect();
  try {
    await holder.query('begin');
    await holder.query("select 1 from jobs where job_id = 'order-0' for update");
    expect((await taker.take(2)).map(({ jobId }) => jobId)).toEqual(['order-1', 'order-2']);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect((await taker.take(2)).map(({ jobId }) => jobId)).toEqual(['order-0', 'order-3']);
});

test('fences rise for ever, whoever grants, also over the death of a coordinator', async () => {
  let before = 0n;
  for (const [i, taker] of takers.entries()) {
    await enqueue(`rise-${i}`);
    const leases = await taker.take(1);
    expect(highest(leases)).toBeGreaterThan(before);
    before = highest(leases);
  }
  await fleet.coordinator.kill();
  await fleet.coordinator.start();
  await enqueue('rise-again');
  const again = await LeaseTaker.at(fleet.coordinatorAddresses[0] ?? '');
  expect(highest(await again.take(1))).toBeGreaterThan(before);
  again.close();
});

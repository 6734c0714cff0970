import { Fault, type File } from '@leasehold/client';
import { status } from '@leasehold/rpc';
import { startPostgres, type PostgresServer } from '@leasehold/test-stack';
import pMap from 'p-map';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Campaign } from '../campaign/campaign.js';
import { nothing, underWay, violations, type Due } from '../checks/books.js';
import { strayObjects } from '../checks/store-contents.js';
import { databasesOn } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { Mischief } from '../network/mischief.js';
import { handOver } from '../photos/hand-over.js';
import { photoOf } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Two coordinators, two ingests and several workers on a PostgreSQL of their own, while parts of it are killed and restarted.

let server: PostgresServer;
let fleet: Fleet;
/** Stands still with its first photo in memory. */
let standing: Member;
const mischief = new Mischief();
const due = new Map<string, Due>();
beforeAll(async () => {
  server = await startPostgres();
  fleet = await Fleet.prepare({ databases: await databasesOn(server), coordinators: 2, ingests: 2, mischief, ingestEnv: { LEASEHOLD_OUTCOMES_WAIT: '2s' } });
  standing = fleet.worker({ failpoints: ['encoded'], stops: 1 });
  await Promise.all([fleet.start(), fleet.worker().start(), fleet.worker().start()]);
});
afterAll(async () => {
  await fleet.end();
  await server.stop();
});

const patience = { timeout: 60_000 };
const ready = async (): Promise<number> => (await fleet.records.query("select 1 from files where state = 'ready'")).rowCount ?? 0;

async function queue(count: number): Promise<File[]> {
  const first = due.size;
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  return pMap(numbers, async (number) => {
    const photo = await photoOf(number);
    const card = await handOver(fleet.files, photo.bytes);
    due.set(card.name, { ends: 'ready', photo });
    return card;
  }, { concurrency: 8 });
}

async function expectAllMadeOnce(): Promise<void> {
  await expect.poll(() => underWay(fleet), patience).toEqual(nothing);
  expect(await violations(fleet, due)).toEqual([]);
  await fleet.ageCards();
  await expect.poll(() => strayObjects(fleet), patience).toEqual({ missing: [], extra: [] });
}

test('40 photos, while a worker is killed with a photo in memory and a coordinator is killed and comes back: each is made, once, and nothing else is left in the store', async () => {
  await standing.start();
  const queued = queue(40);
  await standing.logged('failpoint_reached');
  await expect.poll(ready, patience).toBeGreaterThan(5);
  await Promise.all([standing.kill(), fleet.coordinator.kill()]);
  await fleet.coordinator.start();
  await queued;
  await expectAllMadeOnce();
});

test('PostgreSQL is killed in mid-work and comes back: callers hear UNAVAILABLE meanwhile, no process ends, and everything is made, once', async () => {
  await standing.start();
  const [card] = await queue(15);
  await standing.logged('failpoint_reached');
  await server.kill();
  const answer: unknown = await fleet.files.get(card?.name ?? '').catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(Fault);
  expect(answer).toMatchObject({ code: status.UNAVAILABLE });
  await server.restart();
  standing.signal('SIGUSR2');
  await expectAllMadeOnce();
  expect(fleet.members.flatMap((member) => member.fell)).toEqual([]);
});

test('a short round of the campaign: every photo ends as it must, whatever was killed, frozen and cut off meanwhile', async () => {
  const campaign = new Campaign({ seed: 7, photos: 16, faults: 5, spreadMs: 5_000, size: { width: 400, height: 300 } }, { fleet, server, mischief });
  expect((await campaign.round(1)).violations).toEqual([]);
  campaign.close();
});

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ImportState } from '@leasehold/ingest-v1';
import { createPool, type Database } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import { leftOut, startRedis, type RedisServer } from '@leasehold/test-stack';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ledgerFaults } from '../checks/ledger-books.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { csvOf, Shipments } from '../imports/shipments.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// Shipments dispatched by BullMQ on a Redis that is emptied, killed, set back and set wrong. PostgreSQL has every job, so that nothing of it may cost one.
describe.skipIf(leftOut('redis'))('imports on a Redis that cannot be trusted', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  let shipments: Shipments;
  let ledger: Database;
  let worker: Member;
  beforeAll(async () => {
    redis = await startRedis();
    const databases = await databasesOfTheRun();
    fleet = await Fleet.prepare({ databases, coordinators: 2, coordinatorEnv: { LEASEHOLD_REDIS_URL: redis.url } });
    ledger = createPool({ connectionString: databases.records, applicationName: 'robustness', logger: createLogger({ service: 'robustness', level: 'fatal' }) });
    worker = fleet.importWorker();
    await fleet.start();
    shipments = new Shipments(fleet.ingestAddresses);
    // Or these tests would show nothing.
    expect((await fleet.queue.query("select dispatcher from kind_policies where kind = 'import'")).rows).toEqual([{ dispatcher: 'bullmq' }]);
  });
  afterAll(async () => {
    shipments.close();
    await ledger.stop();
    await fleet.end();
    await redis.stop();
  });
  afterEach(async () => {
    expect(await ledgerFaults(fleet, ledger)).toEqual([]);
    expect(fleet.members.flatMap(({ fell }) => fell)).toEqual([]);
  });

  const patience = { timeout: 60_000 };
  /** What a person would type at it. */
  const command = async (...words: [string, ...string[]]): Promise<unknown> => {
    const client = new Redis(redis.url, { maxRetriesPerRequest: 1 });
    try {
      return await client.call(...words);
    } finally {
      client.disconnect();
    }
  };
  const ids = (name: string, count = 12): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`);
  const submitAll = (all: readonly string[]): Promise<unknown> => Promise.all(all.map((id) => shipments.submit(id, csvOf([[id, 2], ['shared', 1]]))));
  const relayed = (): Promise<number> => fleet.queue.query<{ n: number }>("select count(*)::int as n from jobs where kind = 'import' and dispatched_at is null").then(({ rows }) => rows[0]?.n ?? -1);
  const expectApplied = async (all: readonly string[]): Promise<void> => {
    for (const id of all) expect(await shipments.final(id)).toMatchObject({ state: ImportState.APPLIED });
    expect(await shipments.stock(...all)).toEqual(Object.fromEntries(all.map((id) => [id, 2n])));
  };
  const ready = async (member: Member): Promise<{ status: number; text: string }> => {
    const response = await member.http('/readyz');
    return { status: response.status, text: await response.text() };
  };

  test('I11: FLUSHALL in the middle loses no import: what was waiting and what was running is applied once', async () => {
    const slow = await fleet.importWorker({ failpoints: ['copied'], stops: 1 }).start();
    const all = ids('flushed');
    await submitAll(all);
    await slow.logged('failpoint_reached');
    await command('FLUSHALL');
    slow.signal('SIGUSR2');
    await worker.start();
    await expectApplied(all);
    await slow.stop();
  });

  test('Redis killed with all it holds, and away for a while: submissions go on, and are applied once it is back', async () => {
    const [before, meanwhile] = [ids('killed'), ids('away')];
    await worker.stop();
    await submitAll(before);
    await redis.kill();
    await submitAll(meanwhile);
    await expect.poll(async () => (await ready(fleet.coordinator)).text, patience).toMatch(/redis/i);
    await redis.restart();
    await worker.start();
    await expectApplied([...before, ...meanwhile]);
    await expect.poll(async () => (await ready(fleet.coordinator)).status, patience).toBe(200);
  });

  test('a Redis that comes back with an old dump: what it has forgotten is proposed again, what it thinks is open is not applied again', async () => {
    await worker.stop();
    const [old, later] = [ids('old'), ids('later')];
    await submitAll(old);
    await expect.poll(relayed, patience).toBe(0);
    await command('SAVE');
    const [dump, kept] = [join(redis.dataDir, 'dump.rdb'), join(redis.dataDir, 'kept.rdb')];
    await copyFile(dump, kept);
    await worker.start();
    await expectApplied(old);
    await worker.stop();
    await submitAll(later);
    await redis.kill();
    await copyFile(kept, dump);
    await redis.restart();
    await worker.start();
    await expectApplied(later);
    await expectApplied(old);
  });

  test('I10: a Redis that would evict keys: no coordinator is ready, each says what to set, and nothing is lost once it is set', async () => {
    await worker.stop();
    const all = ids('evicting');
    await submitAll(all);
    await command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    for (const coordinator of fleet.coordinators) await expect.poll(() => ready(coordinator), patience).toMatchObject({ status: 503, text: expect.stringContaining('noeviction') });
    await command('FLUSHALL');
    await command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    for (const coordinator of fleet.coordinators) await expect.poll(() => ready(coordinator), patience).toMatchObject({ status: 200 });
    await worker.start();
    await expectApplied(all);
  });

  test('a coordinator that starts without its Redis serves submissions, and catches up by itself', async () => {
    await worker.stop();
    await redis.kill();
    for (const coordinator of fleet.coordinators) {
      await coordinator.kill();
      await coordinator.start();
    }
    const all = ids('closed-port');
    await submitAll(all);
    await redis.restart();
    await worker.start();
    await expectApplied(all);
  });

  test('a coordinator that stops while its Redis does not answer ends in time', async () => {
    redis.freeze();
    const [, second] = fleet.coordinators;
    expect(await second?.stop()).toMatchObject({ code: 0 });
    redis.thaw();
    await second?.start();
  });
});

import { copyFile, cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { leftOut, startRedis, type RedisServer } from '@leasehold/test-stack';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { done, emptyPair, migratedPair, scratchFolder, sqlOn, type Pair } from './dump.fixture.js';
import { Fleet } from './fleet.fixture.js';

// As mid-run.itest.ts, for shipments that BullMQ dispatches. At the first dump one is applied and heard of, one stands with its rows copied, one is applied
// and its job not settled, one is applied and settled and ingest has not heard of it, one is being read, one waits. Until the second dump all that has gone on. Redis
// comes back empty, as it was before the first dump, or as it was after the second.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 100 };

describe.skipIf(leftOut('redis'))('imports dispatched by BullMQ', () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let source: Pair;
  let lastFence: bigint;
  const at = (name: string): string => join(scratch.path, name);
  const early = ['heard', 'copied', 'committed', 'unheard', 'reading', 'waiting'];
  const late = ['later-1', 'later-2'];

  beforeAll(async () => {
    scratch = await scratchFolder();
    source = await migratedPair();
    await sqlOn(source.queue, 'update kind_policies set lease_ms = 4000, retry_initial_ms = 200, retry_max_ms = 1000, max_run_ms = 60000');
    const redis = await redisWith('redis');
    const fleet = await Fleet.start({ databases: source, store: at('store'), coordinatorEnv: { LEASEHOLD_REDIS_URL: redis.url } });
    const first = await fleet.importWorker();
    await fleet.imports.submit('heard', file(2));
    await vi.waitFor(async () => expect(await count(source.queue, 'finished_jobs')).toBe(1), patience);
    await vi.waitFor(async () => expect(await count(source.queue, 'outcomes')).toBe(0), patience);
    first.kill('SIGKILL');
    const stands = async (failpoint: 'copied' | 'committed') => {
      const worker = await fleet.importWorker(failpoint);
      await fleet.imports.submit(failpoint, file(2));
      await worker.waitForEvent(({ event }) => event === 'failpoint_reached', { timeoutMs: 30_000 });
      return worker;
    };
    const standing = [await stands('copied'), await stands('committed')];
    for (const worker of standing) worker.kill('SIGSTOP');
    await save(redis, 'older');
    await fleet.imports.submit('unheard', file(2));
    await fleet.imports.submit('reading', file(250_000));
    await fleet.imports.submit('waiting', file(2));
    await vi.waitFor(async () => expect(await count(source.queue, "jobs where state = 'queued' and dispatched_at is not null")).toBe(3), patience);
    fleet.ingest.kill('SIGSTOP');
    const working = await fleet.importWorker();
    await vi.waitFor(async () => expect(await count(source.queue, "jobs where job_id = 'reading.1' and state = 'leased'")).toBe(1), { ...patience, interval: 10 });
    working.kill('SIGSTOP');
    await done(source, 'backup', at('first'));

    working.kill('SIGKILL');
    for (const worker of standing) worker.kill('SIGKILL');
    fleet.ingest.kill('SIGCONT');
    await fleet.importWorker();
    for (const id of late) await fleet.imports.submit(id, file(2));
    await vi.waitFor(async () => expect(await count(source.records, "imports where state = 'applied'")).toBe(early.length + late.length), patience);
    await done(source, 'backup', at('second'));
    await save(redis, 'newer');
    await fleet.kill();
    await redis.stop();
    const [fence] = await sqlOn<{ last: string }>(source.queue, 'select last_value as last from fence_seq');
    lastFence = BigInt(fence?.last ?? 0);
  });
  afterAll(() => scratch.remove());

  test.for([
    { queue: 'first', records: 'first', redis: 'wiped' },
    { queue: 'first', records: 'second', redis: 'older' },
    { queue: 'second', records: 'first', redis: 'newer' },
  ] as const)('the queue of the $queue dump, the records of the $records, and a Redis that is $redis: every import is applied once, and fences only rise', async ({ queue, records, redis: memory }) => {
    const target = await emptyPair();
    await done(target, 'restore', at(queue), '--only', 'queue');
    await done(target, 'restore', at(records), '--only', 'records');
    const known = records === 'first' ? early : [...early, ...late];
    const before = new Map((await sqlOn<{ job_id: string; fence: string }>(target.queue, 'select job_id, fence from job_records')).map((row) => [row.job_id, BigInt(row.fence)]));
    const place = `${queue}-${records}-${memory}`;
    await cp(at('store'), at(`store-${place}`), { recursive: true });
    const redis = await redisWith(`redis-${place}`, memory === 'wiped' ? undefined : memory);
    const fleet = await Fleet.start({ databases: target, store: at(`store-${place}`), coordinatorEnv: { LEASEHOLD_REDIS_URL: redis.url } });
    try {
      await fleet.importWorker();
      await vi.waitFor(async () => expect({ jobs: await count(target.queue, 'jobs'), outcomes: await count(target.queue, 'outcomes'), open: await count(target.records, "imports where state = 'accepted'") }).toEqual({ jobs: 0, outcomes: 0, open: 0 }), patience);
      const states = await sqlOn<{ import_id: string; state: string }>(target.records, 'select import_id, state from imports order by seq');
      expect(states).toEqual(known.map((import_id) => ({ import_id, state: 'applied' })));
      expect(await sqlOn(target.records, 'select import_id from applied_batches order by import_id')).toEqual(known.toSorted().map((import_id) => ({ import_id })));
      // Each small file brings one of the first SKU, the large one 250 of each.
      const { items } = await fleet.imports.stock(['S-1', 'S-1000']);
      expect(items.map(({ quantity }) => quantity)).toEqual([BigInt(known.length - 1 + 250), 250n]);
      expect(await sqlOn(target.records, `select sku from stock full join (select sku, sum(quantity) as moved from all_stock_moves group by sku) moves using (sku) where quantity is distinct from moved`)).toEqual([]);
      for (const { job_id, fence } of await sqlOn<{ job_id: string; fence: string }>(target.queue, 'select job_id, fence from finished_jobs')) {
        if (BigInt(fence) !== before.get(job_id)) expect(BigInt(fence)).toBeGreaterThan(lastFence);
      }
    } finally {
      await fleet.kill();
      await redis.stop();
    }
  });

  /** A Redis that begins with what was saved under a name, or empty. */
  async function redisWith(folder: string, saved?: string): Promise<RedisServer> {
    await mkdir(at(folder));
    if (saved !== undefined) await copyFile(at(`${saved}.rdb`), join(at(folder), 'dump.rdb'));
    return startRedis({ dataDir: at(folder), settings: { appendonly: 'no', save: '' } });
  }

  async function save(server: RedisServer, name: string): Promise<void> {
    const client = new Redis(server.url);
    await client.save();
    client.disconnect();
    await copyFile(join(server.dataDir, 'dump.rdb'), at(`${name}.rdb`));
  }
});

/** One unit a row, of up to 1000 SKUs: many rows take time to read, and little to apply. */
function file(rows: number): Buffer {
  return Buffer.from(`sku,quantity\n${Array.from({ length: rows }, (_, row) => `S-${(row % 1000) + 1},1\n`).join('')}`);
}

async function count(database: string, what: string): Promise<number> {
  const [row] = await sqlOn<{ n: number }>(database, `select count(*)::integer as n from ${what}`);
  return row?.n ?? -1;
}

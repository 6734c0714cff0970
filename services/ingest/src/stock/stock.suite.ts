import { status } from '@leasehold/rpc';
import { leftOut, startRedis, type RedisServer } from '@leasehold/test-stack';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World, type Running } from '../testbed/ingest.fixture.js';

const parent = 'namespaces/team-a';
const sku = (name: string, quantity: bigint) => ({ sku: name, quantity, updateTime: expect.any(Date), warehouse: '' });
let fence = 1_000n;

/** An import that was applied, by its worker alone. */
async function ship(world: World, ingest: Running, rows: readonly (readonly [string, number])[], of = parent): Promise<void> {
  fence += 1n;
  const { name } = await ingest.submit(`ship-${fence}`, undefined, { parent: of });
  await world.apply(name, fence, rows);
}

describe('stock', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterAll(() => world.end());

  const get = (skus: string[], at = ingest, of = parent, warehouse = '') => at.stock.getStock({ parent: of, skus, warehouse });
  const list = (request: { pageSize?: number; pageToken?: string; skuPrefix?: string; parent?: string; warehouse?: string }, at = ingest) => at.stock.listStock({ parent, pageSize: 0, pageToken: '', skuPrefix: '', warehouse: '', ...request });

  test('before the first import there is none, of generation 0 and no tag', async () => {
    expect(await get(['A'], ingest, 'namespaces/team-new')).toEqual({ items: [], missing: ['A'], catalogue: { generation: 0n, tag: '' } });
    expect(await list({ parent: 'namespaces/team-new' })).toEqual({ items: [], nextPageToken: '', catalogue: { generation: 0n, tag: '' } });
  });

  test('is read with the catalogue generation that it is of, in the order that was asked; what was never shipped is named', async () => {
    await ship(world, ingest, [['B', 2], ['A', 5], ['größe 42', 1]]);
    const first = await get(['B', 'nothing', 'A', 'B', 'größe 42']);
    expect(first).toEqual({ items: [sku('B', 2n), sku('A', 5n), sku('größe 42', 1n)], missing: ['nothing'], catalogue: { generation: 1n, tag: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
    await ship(world, ingest, [['A', -5]]);
    const second = await get(['A']);
    expect(second).toMatchObject({ items: [{ quantity: 0n }], catalogue: { generation: 2n } });
    expect(second.catalogue?.tag).not.toBe(first.catalogue?.tag);
  });

  test('is listed in the order of the SKUs\' bytes, page by page, each with its own generation', async () => {
    await ship(world, ingest, [['p2', 1], ['p10', 1], ['P', 1], ['pé', 1], ['p', 1]]);
    const first = await list({ skuPrefix: 'p', pageSize: 2 });
    expect(first.items.map((item) => item.sku)).toEqual(['p', 'p10']);
    await ship(world, ingest, [['p11', 1]]);
    const second = await list({ skuPrefix: 'p', pageSize: 2, pageToken: first.nextPageToken });
    expect(second.items.map((item) => item.sku)).toEqual(['p11', 'p2']);
    expect(second.catalogue?.generation).toBe((first.catalogue?.generation ?? 0n) + 1n);
    const last = await list({ skuPrefix: 'p', pageSize: 2, pageToken: second.nextPageToken });
    expect([last.items.map((item) => item.sku), last.nextPageToken]).toEqual([['pé'], '']);
    await expect(list({ skuPrefix: 'P', pageToken: first.nextPageToken })).rejects.toMatchObject({ fieldViolations: [{ field: 'page_token' }] });
  });

  test('what no call can mean is refused', async () => {
    await expect(get([])).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'skus' }] });
    await expect(get(Array.from({ length: 501 }, (_, i) => `S${i}`))).rejects.toMatchObject({ fieldViolations: [{ field: 'skus' }] });
    await expect(get(['A', 'a\0b'])).rejects.toMatchObject({ fieldViolations: [{ field: 'skus[1]' }] });
    await expect(list({ skuPrefix: 'x'.repeat(1025) })).rejects.toMatchObject({ fieldViolations: [{ field: 'sku_prefix' }] });
    await expect(list({ parent: 'namespaces/TEAM' })).rejects.toMatchObject({ fieldViolations: [{ field: 'parent' }] });
  });

  describe.skipIf(leftOut('redis'))('with a cache (I5)', () => {
    let redis: RedisServer;
    let cached: Running;
    let eyes: Redis;
    beforeAll(async () => {
      await ship(world, ingest, [['A', 50], ['B', 20], ['C', 90]]);
      redis = await startRedis();
      cached = await world.ingest({ env: { LEASEHOLD_REDIS_URL: redis.url, LEASEHOLD_STOCK_CACHE_TIMEOUT: '100ms', LEASEHOLD_STOCK_CACHE_LIFE: '1h' } });
      eyes = new Redis(redis.url, { retryStrategy: () => 50 });
      eyes.on('error', () => undefined);
    });
    afterAll(async () => {
      eyes.disconnect();
      await redis.stop();
    });

    const looks = (outcome: string): Promise<number> => cached.metric('leasehold_stock_cache_total', { outcome });
    const hit = async (read: () => Promise<unknown>): Promise<boolean> => {
      const before = await looks('hit');
      await read();
      return (await looks('hit')) > before;
    };

    test('the same read of the same generation is answered from it, word for word; an import makes it a new read', async () => {
      const plain = await get(['A', 'B', 'nothing']);
      await expect.poll(() => hit(() => get(['A', 'B', 'nothing'], cached))).toBe(true);
      expect(await get(['A', 'B', 'nothing'], cached)).toEqual(plain);
      const page = await list({ pageSize: 3 });
      await expect.poll(() => hit(() => list({ pageSize: 3 }, cached))).toBe(true);
      expect((await list({ pageSize: 3 }, cached)).items).toEqual(page.items);
      await ship(world, ingest, [['A', 100]]);
      expect(await get(['A'], cached)).toEqual(await get(['A']));
      expect((await list({ pageSize: 3 }, cached)).catalogue).toEqual((await list({ pageSize: 3 })).catalogue);
    });

    test('every answer has a bounded life', async () => {
      await get(['A', 'B'], cached);
      await expect.poll(async () => (await eyes.keys('*')).length).toBeGreaterThan(0);
      for (const key of await eyes.keys('*')) expect(await eyes.pttl(key)).toBeGreaterThan(0);
    });

    test('a restored backup with the same generation never shows the stock that was cached before: the tag differs', async () => {
      await expect.poll(() => hit(() => get(['A'], cached))).toBe(true);
      const before = await get(['A'], cached);
      // The ledger falls back, and the same generation is made again by another import.
      await world.db.pool.query("update stock set quantity = 7 where namespace = 'team-a' and sku = 'A'");
      await world.db.pool.query("update catalogues set tag = gen_random_uuid() where namespace = 'team-a'");
      const after = await get(['A'], cached);
      expect(after).toMatchObject({ items: [{ quantity: 7n }], catalogue: { generation: before.catalogue?.generation } });
    });

    test('what lies in it and cannot be read is read anew', async () => {
      await expect.poll(() => hit(() => get(['B'], cached))).toBe(true);
      for (const key of await eyes.keys('*')) await eyes.set(key, Buffer.from([0xff, 0xff, 0xff]), 'PX', 60_000);
      expect(await get(['B'], cached)).toEqual(await get(['B']));
    });

    test('one that is frozen, dead or emptied costs no read its answer, and is used again when it is back', async () => {
      const plain = await get(['A', 'B']);
      redis.freeze();
      expect(await get(['A', 'B'], cached)).toEqual(plain);
      expect(await looks('fault')).toBeGreaterThan(0);
      redis.thaw();
      await redis.kill();
      for (let read = 0; read < 5; read++) expect(await get(['A', 'B'], cached)).toEqual(plain);
      await redis.restart();
      await expect.poll(() => hit(() => get(['A', 'B'], cached)), { timeout: 15_000 }).toBe(true);
      await eyes.flushall();
      expect(await get(['A', 'B'], cached)).toEqual(plain);
    });

    test('an ingest whose cache was never there starts and answers', async () => {
      const without = await world.ingest({ env: { LEASEHOLD_REDIS_URL: 'redis://127.0.0.1:1' } });
      expect(await get(['A', 'B'], without)).toEqual(await get(['A', 'B']));
    });
  });
});

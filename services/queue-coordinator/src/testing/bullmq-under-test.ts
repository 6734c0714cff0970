import { startRedis, type RedisOptions, type RedisServer } from '@leasehold/test-stack';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import type { Failpoint } from '../dispatch/bullmq/failpoint.js';
import { QueueUnderTest, type CoordinatorUnderTest } from './queue-under-test.js';

const soon = { timeout: 15_000 };

/** A queue database and a Redis of its own, to be emptied, killed and brought back, with eyes of its own on both. */
export class BullmqUnderTest {
  readonly queue: QueueUnderTest;
  readonly redis: RedisServer;
  #client: Redis | undefined;
  #records: Queue | undefined;

  private constructor(queue: QueueUnderTest, redis: RedisServer) {
    this.queue = queue;
    this.redis = redis;
  }

  static async open(o: RedisOptions = {}): Promise<BullmqUnderTest> {
    return new BullmqUnderTest(await QueueUnderTest.open(), await startRedis(o));
  }

  coordinator(o: { readonly failpoint?: Failpoint; readonly env?: NodeJS.ProcessEnv } = {}): Promise<CoordinatorUnderTest> {
    return this.queue.coordinator({ LEASEHOLD_REDIS_URL: this.redis.url, ...o.env }, o.failpoint === undefined ? {} : { failpoint: o.failpoint });
  }

  /** A connection for looking; waits for Redis. */
  get client(): Redis {
    this.#client ??= new Redis(this.redis.url, { maxRetriesPerRequest: null }).on('error', () => undefined);
    return this.#client;
  }

  /** BullMQ's queue of import@1, as common tools see it. */
  get records(): Queue {
    this.#records ??= new Queue('import@1', { connection: this.client, prefix: '{leasehold}', skipMetasUpdate: true, skipVersionCheck: true }).on('error', () => undefined);
    return this.#records;
  }

  /** Until the relay has nothing left. */
  async dispatched(): Promise<void> {
    await vi.waitFor(async () => expect((await this.queue.sql.query('select from jobs where dispatched_at is null')).rowCount).toBe(0), soon);
  }

  /** A check of /readyz: undefined when it passes. */
  async notReady(coordinator: CoordinatorUnderTest, check = 'redis'): Promise<string | undefined> {
    const response = await fetch(`http://${coordinator.httpAddress}/readyz`);
    const body = await response.text();
    const failed = new RegExp(`\\{"name":"${check}","ok":false,"detail":"([^"]*)"`).exec(body)?.[1];
    return response.status === 200 ? undefined : failed ?? body;
  }

  async ready(coordinator: CoordinatorUnderTest): Promise<void> {
    await vi.waitFor(async () => expect(await this.notReady(coordinator)).toBeUndefined(), soon);
  }

  /** A figure's values by their labels. */
  async metric(coordinator: CoordinatorUnderTest, line: string): Promise<number> {
    const text = await (await fetch(`http://${coordinator.httpAddress}/metrics`)).text();
    const found = text.split('\n').find((each) => each.startsWith(line));
    return found === undefined ? 0 : Number(found.slice(found.lastIndexOf(' ') + 1));
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.#client?.disconnect();
    await this.redis.stop();
  }
}

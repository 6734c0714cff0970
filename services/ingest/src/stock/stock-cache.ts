import type { Logger } from '@leasehold/service';
import { Redis } from 'ioredis';
import type { StockMetrics } from './stock-metrics.js';

/** Where answers are kept by their key. Never needed: whatever goes wrong is a miss. */
export interface StockCache {
  get(key: string): Promise<Buffer | undefined>;
  /** Does not wait for the cache. */
  put(key: string, answer: Uint8Array): void;
}

export interface StockCacheOptions {
  /** `redis://` or `rediss://`. A secret: never logged. */
  readonly url: string;
  /** A cache that takes longer is not waited for, in ms. */
  readonly timeoutMs: number;
  /** An answer is kept at most so long, in ms. */
  readonly lifeMs: number;
  readonly logger: Logger;
  readonly metrics: StockMetrics;
}

const longestReconnectMs = 2_000;
// A page of 1000 SKUs fits.
const largestAnswerBytes = 128 * 1024;

/**
 * Answers in Redis. Keys hold the catalogue's random tag, so that an answer is right for ever and needs no invalidation; the bounded life only frees memory. Nothing waits for a
 * connection: while Redis is away every look is a fault at once, and the caller reads PostgreSQL.
 */
export class RedisStockCache implements StockCache {
  readonly name = 'stock cache';
  readonly #redis: Redis;
  readonly #lifeMs: number;
  readonly #metrics: StockMetrics;

  constructor(o: StockCacheOptions) {
    this.#lifeMs = o.lifeMs;
    this.#metrics = o.metrics;
    this.#redis = new Redis(o.url, {
      lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false, commandTimeout: o.timeoutMs, connectTimeout: o.timeoutMs * 10,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), longestReconnectMs), connectionName: 'leasehold-ingest',
    });
    // Without a listener ioredis writes to the console. The figures say how often; one line says when it began.
    let away = false;
    this.#redis.on('error', (error: Error) => {
      if (!away) o.logger.warn({ event: 'stock_cache_away', reason: error.message }, 'stock is read from PostgreSQL');
      away = true;
    });
    this.#redis.on('ready', () => { away = false; });
  }

  /** Connects behind the scenes: nothing waits for it. */
  async start(): Promise<void> {
    if (this.#redis.status === 'wait') void this.#redis.connect().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#redis.disconnect();
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      const found = await this.#redis.getBuffer(key);
      this.#metrics.cache.inc({ outcome: found === null ? 'miss' : 'hit' });
      return found ?? undefined;
    } catch {
      this.#metrics.cache.inc({ outcome: 'fault' });
      return undefined;
    }
  }

  put(key: string, answer: Uint8Array): void {
    if (answer.byteLength > largestAnswerBytes) return;
    this.#redis.set(key, Buffer.from(answer), 'PX', this.#lifeMs).catch(() => this.#metrics.cache.inc({ outcome: 'fault' }));
  }
}

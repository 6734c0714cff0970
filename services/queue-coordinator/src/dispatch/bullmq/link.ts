import { randomInt } from 'node:crypto';
import type { Component, Logger } from '@leasehold/service';
import { Cluster, Redis } from 'ioredis';
import { SafeConnector } from './connector.js';
import type { BullmqFigures } from './figures.js';

/** Where Redis is. */
export interface RedisPlace {
  /** `redis://` or `rediss://`, with user, password and database where needed; several: nodes of a Cluster. Secrets. */
  readonly urls: readonly string[];
  /** PEM of the authorities that a rediss:// server is trusted by; undefined: the system's. */
  readonly ca: Buffer | undefined;
}

// Longer than any script here takes on a Redis in use; a Redis that hangs must not hang its callers.
const commandTimeoutMs = 3_000;
const connectTimeoutMs = 3_000;
const longestRetryMs = 1_000;

/** 50 ms, doubled up to a second, with a random part so that coordinators do not come back together. Never 0: a Redis that refuses at once would be asked in a busy loop. */
export const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 10), longestRetryMs) + randomInt(50);

/** The connection to Redis: made again for ever, and never waited for. A command while it is down fails at once, and a lost answer is an error and not a repeat. */
export class RedisLink implements Component {
  readonly name = 'redis';
  readonly client: Redis | Cluster;
  readonly #logger: Logger;
  readonly #figures: BullmqFigures;
  readonly #listeners: (() => void)[] = [];
  #lastFault = 'not asked yet';
  #away = false;
  #stopped = false;
  #generation = 0;

  constructor(place: RedisPlace, logger: Logger, figures: BullmqFigures) {
    this.#logger = logger;
    this.#figures = figures;
    this.client = clientOf(place);
    // Without a listener an error would end the process.
    this.client.on('error', (error: unknown) => this.#lost(reasonOf(error)));
    this.client.on('close', () => this.#lost('the connection was closed'));
    this.client.on('ready', () => this.#found());
  }

  /** How often the connection was made: what was known of Redis before the last time may be wrong. */
  get generation(): number {
    return this.#generation;
  }

  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** Why it is not ready. */
  get lastFault(): string {
    return this.#lastFault;
  }

  onReady(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Does not wait for Redis: a coordinator starts without it, and enqueues. */
  async start(): Promise<void> {
    void this.client.connect().catch(() => undefined);
  }

  /** At once: nothing that is under way is worth waiting for, and a Redis that is away would never answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.client.disconnect();
  }

  #lost(reason: string): void {
    if (this.#stopped) return;
    // An error is followed by the close that it caused, which says less.
    if (reason !== 'the connection was closed' || !this.#away) this.#lastFault = reason;
    this.#figures.connectionFault();
    this.#figures.answered(false);
    if (this.#away) return;
    this.#away = true;
    this.#logger.warn({ event: 'redis_away', reason: this.#lastFault }, 'jobs are still taken, and handed out again when it is back');
  }

  #found(): void {
    this.#generation += 1;
    if (this.#away) this.#logger.info({ event: 'redis_back' }, 'what it missed is caught up with');
    this.#away = false;
    for (const listener of this.#listeners) listener();
  }
}

function clientOf({ urls, ca }: RedisPlace): Redis | Cluster {
  const [first, ...others] = urls;
  if (first === undefined) throw new RangeError('no Redis was named');
  const { username, password, protocol } = new URL(first);
  const secure = protocol === 'rediss:';
  const common = {
    // A pop whose answer was lost must not be sent again: the first one may have been done.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    connectionName: 'leasehold-queue-coordinator',
    Connector: SafeConnector,
    ...(secure ? { tls: ca === undefined ? {} : { ca } } : {}),
  };
  if (others.length === 0) return new Redis(first, { ...common, lazyConnect: true, enableOfflineQueue: false, retryStrategy: retryDelayMs });
  return new Cluster([...urls], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelayMs,
    redisOptions: {
      ...common,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    },
  });
}

/** Its own words, without the address that some errors carry: a URL holds a password. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no reason given';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `${code}: ${error.message.replaceAll(/rediss?:\/\/\S+/g, 'redis://…')}`;
};

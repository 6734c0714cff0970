import { createHash } from 'node:crypto';
import { findRedis, startRedis, type RedisServer } from '@leasehold/test-stack';
import pg from 'pg';
import type { DataFolder } from '../data/folder.js';
import { noRedis } from './no-redis.js';

/** The Redis of a stack: one that it started, or one that was named. */
export interface RedisPlace {
  readonly url: string;
  /** Of this data folder's keys: a Redis that was named may have others'. */
  readonly prefix: string;
  /** Ends it if the stack has started it. */
  stop(): Promise<void>;
}

/**
 * @param wanted a URL, `none`, or undefined: one of the stack's own, if this machine has a redis-server or valkey-server. None is ever installed.
 * @returns undefined without one: PostgreSQL dispatches
 */
export async function openRedis(wanted: string | undefined, folder: DataFolder, port: () => Promise<number>): Promise<RedisPlace | undefined> {
  const prefix = `leasehold-${createHash('sha256').update(folder.root).digest('hex').slice(0, 8)}`;
  if (wanted === noRedis) return undefined;
  if (wanted !== undefined) return { url: wanted, prefix, stop: async () => undefined };
  if ((await findRedis()) === undefined) return undefined;
  const server: RedisServer = await startRedis({ dataDir: folder.redis, port: await port() });
  return { url: server.url, prefix, stop: () => server.stop() };
}

/** Before coordinators start without a Redis: an earlier run on this folder may have given a kind to BullMQ, and they would wait for it. */
export async function dispatchByPostgres(queueUrl: string): Promise<void> {
  await connected(queueUrl, (client) => client.query("update kind_policies set dispatcher = 'postgres' where dispatcher <> 'postgres'"));
}

/** Who dispatches a kind, as its policy says. */
export async function dispatcherOf(queueUrl: string, kind: string): Promise<string> {
  return connected(queueUrl, async (client) => {
    const { rows: [row] } = await client.query<{ dispatcher: string }>('select dispatcher from kind_policies where kind = $1', [kind]);
    return row?.dispatcher ?? 'nobody';
  });
}

async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

import { randomUUID } from 'node:crypto';
import { sql, type Database } from '@leasehold/postgres';
import type { RedisLink } from './link.js';
import { keyPrefix } from './record.js';

const readSql = sql(import.meta.url, 'marker-read');
const writeSql = sql(import.meta.url, 'marker-write');

export const markEveryMs = 30_000;

/**
 * A random word that Redis and PostgreSQL both have. A Redis that was emptied has none; one that came back with an old dump, or is another one, has another; and so it is for a
 * PostgreSQL that was restored.
 */
export class Marker {
  readonly #db: Database;
  readonly #link: RedisLink;
  readonly #memory: string;
  readonly #key: string;
  readonly #passKey: string;
  readonly #everyMs: number;

  constructor(db: Database, link: RedisLink, prefix: string, everyMs = markEveryMs) {
    this.#db = db;
    this.#link = link;
    this.#memory = prefix;
    this.#key = `${keyPrefix(prefix)}:marker`;
    this.#passKey = `${keyPrefix(prefix)}:pass:${randomUUID()}`;
    this.#everyMs = everyMs;
  }

  /** Whether Redis is the one that was marked. */
  async holds(): Promise<boolean> {
    // First there, then here: a marker is written here first.
    const there = await this.#link.client.get(this.#key);
    const [row] = await this.#db.query<{ marker: string; previous: string }>(readSql, [this.#memory]);
    return row !== undefined && there !== null && (there === row.marker || there === row.previous);
  }

  /** A new one every 30 s, written by whichever coordinator comes first; the older a dump may be to pass, the less it tells. */
  async renew(): Promise<void> {
    await this.#write(this.#everyMs);
  }

  /** Runs a comparison of all that Redis has, and marks Redis if it was there all the while: what was emptied in the middle must not be marked as whole. */
  async over(pass: () => Promise<void>): Promise<boolean> {
    const here = randomUUID();
    await this.#link.client.set(this.#passKey, here, 'PX', 86_400_000);
    await pass();
    if ((await this.#link.client.get(this.#passKey)) !== here) return false;
    await this.#write(0);
    await this.#link.client.del(this.#passKey);
    return true;
  }

  async #write(olderThanMs: number): Promise<void> {
    const [row] = await this.#db.query<{ marker: string }>(writeSql, [this.#memory, randomUUID(), olderThanMs]);
    if (row !== undefined) await this.#link.client.set(this.#key, row.marker);
  }
}

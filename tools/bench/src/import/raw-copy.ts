import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** The limit: the file's bytes as they are through COPY into a temporary table, and one upsert in the order of the keys, into a table like the ledger's. No checks, no journal, no moves. */
export class RawCopy {
  readonly #connectionString: string;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  async prepare(): Promise<void> {
    await this.#connected((client) => client.query(
      'create table raw_stock (namespace text collate "C", sku text collate "C", quantity bigint not null, update_time timestamptz not null, primary key (namespace, sku)) with (fillfactor = 70)'));
  }

  /** Seconds from the first byte to the commit. */
  run(path: string): Promise<number> {
    return this.#connected(async (client) => {
      // As the worker's own session has it.
      await client.query("set temp_buffers = '16MB'; set work_mem = '64MB'; create temporary table raw_rows (sku text collate \"C\", quantity integer)");
      const startedAt = performance.now();
      await pipeline(createReadStream(path, { highWaterMark: 1 << 18 }), client.query(copyFrom('copy raw_rows from stdin (format csv, header)', { highWaterMark: 1 << 18 })));
      await client.query(`
        insert into raw_stock as s (namespace, sku, quantity, update_time) select 'default', sku, sum(quantity), now() from raw_rows group by sku order by sku
        on conflict (namespace, sku) do update set quantity = s.quantity + excluded.quantity, update_time = excluded.update_time`);
      return (performance.now() - startedAt) / 1000;
    });
  }

  /** Units in stock, and SKUs. */
  async sums(table: 'raw_stock' | 'stock'): Promise<{ units: string; skus: string }> {
    const { rows: [sums] } = await this.#connected((client) => client.query<{ units: string; skus: string }>(`select coalesce(sum(quantity), 0)::text as units, count(*)::text as skus from ${table}`));
    if (sums === undefined) throw new Error('no sums');
    return sums;
  }

  /** Both tables as if they had been at rest for a while: what autovacuum would do at a moment of its own would hit one contender or the other. */
  async settle(): Promise<void> {
    await this.#connected(async (client) => {
      await client.query('vacuum analyze stock');
      await client.query('vacuum analyze raw_stock');
      await client.query('checkpoint');
    });
  }

  async #connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#connectionString });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

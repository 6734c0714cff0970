import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';

const text = readFileSync(new URL('../../src/dispatch/fused.sql', import.meta.url), 'utf8');

/** Works the backlog off with the fused statement alone, `batch` jobs a statement on `connections` connections. Answers seconds. */
export async function runFused(pool: pg.Pool, o: { readonly batch: number; readonly connections: number }): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: o.connections }, () => drain(pool, o.batch)));
  return (performance.now() - startedAt) / 1000;
}

async function drain(pool: pg.Pool, batch: number): Promise<void> {
  const client = await pool.connect();
  try {
    let held: { enqueue_id: string; lease_token: Buffer }[] = [];
    for (;;) {
      const tokens = Array.from({ length: batch }, () => randomBytes(16));
      const { rows } = await client.query<{ enqueue_id: string; lease_token: Buffer }>({
        name: 'fused', text, values: [held.map((row) => row.enqueue_id), held.map((row) => row.lease_token), tokens],
      });
      if (rows.length === 0 && held.length === 0) return;
      held = rows;
    }
  } finally {
    client.release();
  }
}

import { readFile, rm, writeFile } from 'node:fs/promises';
import type { DataFolder } from '../data/folder.js';
import pg from 'pg';

/**
 * Gives kind image a lease time of a few seconds, so that nobody has to wait two minutes for a lease to run out. Written down first: a run that
 * is killed in between is made good by the next start.
 */
export async function shortenLease(databaseUrl: string, { shortenedLease }: DataFolder, leaseMs: number): Promise<void> {
  await connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ lease_ms: number }>("select lease_ms from kind_policies where kind = 'image'");
    const [row] = rows;
    if (row === undefined) throw new Error('the queue has no policy for kind image');
    await writeFile(shortenedLease, String(row.lease_ms));
    await client.query("update kind_policies set lease_ms = $1 where kind = 'image'", [leaseMs]);
  });
}

/** Gives kind image its proper lease time again, if it was shortened. */
export async function restoreLease(databaseUrl: string, { shortenedLease }: DataFolder): Promise<void> {
  const proper = Number(await readFile(shortenedLease, 'utf8').catch(() => '0'));
  if (proper > 0) await connected(databaseUrl, (client) => client.query("update kind_policies set lease_ms = $1 where kind = 'image'", [proper]));
  await rm(shortenedLease, { force: true });
}

async function connected(connectionString: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

import { migrationLock, sql } from '@leasehold/postgres';
import type pg from 'pg';
import { Refusal } from '../terminal.js';
import type { DatabaseName } from './databases.js';
import type { DumpedDatabase } from './manifest.js';

const occupantsSql = sql(import.meta.url, 'occupants');
const emptySql = sql(import.meta.url, 'empty');

/**
 * Begins the transaction that restores, in a database that is empty, or that this empties when told to: until the commit nobody else sees either.
 * Refuses a database with anything in it, one whose users are still connected, and a clock that would let fences repeat.
 */
export async function beginIn(client: pg.Client, database: DatabaseName, dumped: DumpedDatabase, o: { readonly replace: boolean }): Promise<void> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
  const { rows: [row] } = await client.query<{ objects: number; sessions: string[]; clock: string }>(occupantsSql.text);
  if (row === undefined) throw new Error('a SELECT without FROM answered no row');
  // Fences start at the clock's microseconds: before the dump's time, ones that the dump knows would be handed out again.
  if (Date.parse(row.clock) < Date.parse(dumped.snapshotTime)) throw new Refusal(`${database}: the server's clock says ${row.clock}, and the dump is of ${dumped.snapshotTime}: set the clock first, or fences would repeat`);
  if (row.objects === 0) return;
  if (!o.replace) throw new Refusal(`${database}: the database is not empty: restore into a new one, or say --replace, which drops everything that is in it`);
  if (row.sessions.length > 0) throw new Refusal(`${database}: others are connected (${row.sessions.join(', ')}): stop the services before their database is replaced`);
  await client.query(emptySql.text);
}

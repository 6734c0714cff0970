import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { migrationLock, sql } from '@leasehold/postgres';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { Refusal } from '../terminal.js';
import { ownersOf, type DatabaseName } from './databases.js';
import { tablePath } from './dump-folder.js';
import type { DumpedDatabase, DumpedSequence, DumpedTable } from './manifest.js';
import { Meter } from './meter.js';
import { listed, qualified } from './session.js';

const tablesSql = sql(import.meta.url, 'tables');
const sequencesSql = sql(import.meta.url, 'sequences');
const snapshotSql = sql(import.meta.url, 'snapshot');

// What makes and drops the day's partitions takes it first, and tables that this transaction reads after it: without it a drop would wait for the dump
// holding a lock that every settlement needs.
const partitionsLock = 'leasehold finished partitions';

export interface TableRow {
  readonly schema: string;
  readonly name: string;
  readonly columns: string[] | null;
  readonly parent_schema: string | null;
  readonly parent_name: string | null;
  readonly bounds: string | null;
}

export interface Snapshot {
  readonly serverVersion: string;
  readonly snapshotTime: string;
}

export interface SavedTable {
  readonly database: DatabaseName;
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

/** What is told of a database that is dumped or restored: a table's bytes as they pass, and then the table. */
export interface Watcher {
  bytes(of: { readonly database: DatabaseName; readonly table: string; readonly bytes: number }): void;
  table(saved: SavedTable): void;
}

/** Begins a transaction that sees the database as it is now, whatever is committed later. Migrations wait until the connection ends. */
export async function takeSnapshot(client: pg.Client): Promise<Snapshot> {
  // Before the transaction: its snapshot would be older than what it waited for.
  await client.query('select pg_advisory_lock_shared($1)', [migrationLock]);
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [partitionsLock]);
  await client.query('begin transaction isolation level repeatable read, read only');
  const { rows: [row] } = await client.query<{ server_version: string; taken_at: string }>(snapshotSql.text);
  if (row === undefined) throw new Error('a SELECT without FROM answered no row');
  return { serverVersion: row.server_version, snapshotTime: row.taken_at };
}

/** Writes every table of the snapshot to a file of its own, and ends the transaction. Memory does not grow with the tables. */
export async function saveDatabase(client: pg.Client, database: DatabaseName, snapshot: Snapshot, folder: string, watcher: Watcher): Promise<DumpedDatabase> {
  const migrations = await appliedMigrations(client, database);
  const { rows } = await client.query<TableRow>(tablesSql.text);
  const tables: DumpedTable[] = [];
  for (const row of rows) tables.push(await saveTable(client, database, row, folder, watcher));
  // After the rows: sequences obey no snapshot, and one that is ahead of its rows does no harm.
  const sequences = await saveSequences(client);
  await client.query('commit');
  return { ...snapshot, migrations, tables, sequences };
}

async function saveTable(client: pg.Client, database: DatabaseName, row: TableRow, folder: string, watcher: Watcher): Promise<DumpedTable> {
  const columns = row.columns ?? [];
  const name = `${row.schema}.${row.name}`;
  const file = `${encodeURIComponent(name)}.copy`;
  const meter = new Meter((bytes) => watcher.bytes({ database, table: name, bytes }));
  const source = client.query(copyTo(`copy ${qualified(row)} (${listed(columns)}) to stdout`));
  await pipeline(source, meter, createWriteStream(tablePath(folder, database, { file }), { flags: 'wx', mode: 0o600, flush: true }));
  const saved = { rows: source.rowCount, bytes: meter.bytes };
  watcher.table({ database, table: name, ...saved });
  const partition = row.parent_schema === null || row.parent_name === null || row.bounds === null ? {} : { partition: { schema: row.parent_schema, parent: row.parent_name, bounds: row.bounds } };
  return { schema: row.schema, name: row.name, columns, ...partition, file, ...saved, sha256: meter.sha256() };
}

async function saveSequences(client: pg.Client): Promise<DumpedSequence[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(sequencesSql.text);
  const saved: DumpedSequence[] = [];
  for (const row of rows) {
    const { rows: [value] } = await client.query<{ last_value: string; is_called: boolean }>(`select last_value::text as last_value, is_called from ${qualified(row)}`);
    if (value !== undefined) saved.push({ ...row, lastValue: value.last_value, isCalled: value.is_called });
  }
  return saved;
}

async function appliedMigrations(client: pg.Client, database: DatabaseName): Promise<DumpedDatabase['migrations']> {
  const migrations: DumpedDatabase['migrations'] = {};
  const [first, ...others] = await ownersOf(database);
  for (const { versionTable } of [first, ...others]) {
    const { rows: [known] } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [pg.escapeIdentifier(versionTable)]);
    if (known?.there !== true) {
      if (versionTable === first.versionTable) throw new Refusal(`${database}: there is no table ${versionTable}: this is no migrated database of Leasehold`);
      continue;
    }
    const { rows } = await client.query<{ version: number; md5: string | null }>(`select version::integer as version, md5 from ${pg.escapeIdentifier(versionTable)} where version > 0 order by version`);
    migrations[versionTable] = rows.map(({ version, md5 }) => ({ version, md5: md5 ?? '' }));
  }
  return migrations;
}

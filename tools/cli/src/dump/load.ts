import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { sql } from '@leasehold/postgres';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Refusal } from '../terminal.js';
import type { DatabaseName } from './databases.js';
import { refuseDifference, tablePath } from './dump-folder.js';
import type { DumpedDatabase, DumpedTable } from './manifest.js';
import { Meter } from './meter.js';
import { listed, qualified } from './session.js';
import type { Watcher } from './snapshot.js';

const foreignKeysSql = sql(import.meta.url, 'foreign-keys');
const triggersSql = sql(import.meta.url, 'triggers');

interface ForeignKeyRow {
  readonly schema: string;
  readonly name: string;
  readonly constraint_name: string;
  readonly definition: string;
}

interface TriggerRow {
  readonly schema: string;
  readonly name: string;
  readonly trigger_name: string;
  readonly enabled: string;
}

/** Fills the empty tables, sets the sequences, and has every constraint checked. In the caller's transaction. */
export async function loadTables(client: pg.Client, database: DatabaseName, dumped: DumpedDatabase, folder: string, watcher: Watcher): Promise<void> {
  // Tables come in any order, and rows as they are: references are checked at the end, and triggers are not to change what they did once.
  const { rows: keys } = await client.query<ForeignKeyRow>(foreignKeysSql.text);
  const { rows: triggers } = await client.query<TriggerRow>(triggersSql.text);
  for (const key of keys) await client.query(`alter table ${qualified(key)} drop constraint ${pg.escapeIdentifier(key.constraint_name)}`);
  for (const trigger of triggers) await client.query(`alter table ${qualified(trigger)} disable trigger ${pg.escapeIdentifier(trigger.trigger_name)}`);
  for (const table of dumped.tables) await loadTable(client, database, table, folder, watcher);
  for (const trigger of triggers) await client.query(`alter table ${qualified(trigger)} enable ${firing[trigger.enabled] ?? ''} trigger ${pg.escapeIdentifier(trigger.trigger_name)}`);
  for (const key of keys) await client.query(`alter table ${qualified(key)} add constraint ${pg.escapeIdentifier(key.constraint_name)} ${key.definition}`);
  for (const sequence of dumped.sequences) await client.query('select setval($1::regclass, $2::bigint, $3)', [qualified(sequence), sequence.lastValue, sequence.isCalled]);
}

// pg_trigger.tgenabled.
const firing: Readonly<Record<string, string>> = { O: '', R: 'replica', A: 'always' };

async function loadTable(client: pg.Client, database: DatabaseName, table: DumpedTable, folder: string, watcher: Watcher): Promise<void> {
  const path = tablePath(folder, database, table);
  const name = `${table.schema}.${table.name}`;
  const meter = new Meter((bytes) => watcher.bytes({ database, table: name, bytes }));
  const sink = client.query(copyFrom(`copy ${qualified(table)} (${listed(table.columns)}) from stdin`));
  await pipeline(createReadStream(path), meter, sink);
  // Again, though the whole dump was read before: what counts is what went into the table.
  refuseDifference(path, table, meter);
  if (sink.rowCount !== table.rows) throw new Refusal(`${database}: ${name} has ${sink.rowCount} rows, and the dump was made with ${table.rows}`);
  watcher.table({ database, table: name, rows: table.rows, bytes: table.bytes });
}

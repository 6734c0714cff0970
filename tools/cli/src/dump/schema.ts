import { listMigrations, migrateWithin, sql } from '@leasehold/postgres';
import type pg from 'pg';
import { Refusal } from '../terminal.js';
import { ownersOf, type DatabaseName, type SchemaOwner } from './databases.js';
import type { DumpedDatabase, DumpedTable } from './manifest.js';
import { qualified } from './session.js';
import type { TableRow } from './snapshot.js';

const tablesSql = sql(import.meta.url, 'tables');

/** Refuses a dump whose schema this build cannot make: one of a later release, or of migrations that are not this build's. */
export async function refuseForeignSchema(database: DatabaseName, dumped: DumpedDatabase): Promise<void> {
  const owners = await ownersOf(database);
  for (const [versionTable, applied] of Object.entries(dumped.migrations)) {
    const owner = owners.find((known) => known.versionTable === versionTable);
    const known = owner === undefined ? [] : await listMigrations(owner.directory);
    const last = known.at(-1)?.version ?? 0;
    for (const { version, md5 } of applied) {
      const migration = known.find((candidate) => candidate.version === version);
      if (migration === undefined) throw new Refusal(`${database}: the dump has migration ${version} of ${versionTable}, and this build knows them up to ${last}: restore it with the release that made it, or a later one`);
      if (migration.md5 !== md5) throw new Refusal(`${database}: the dump was made with another migration ${version} of ${versionTable} than ${migration.file}: restore it with the release that made it`);
    }
  }
  if (dumped.migrations[owners[0].versionTable] === undefined) throw new Refusal(`${database}: the dump does not say which migrations it was made with`);
}

/** Makes the tables as they were when the dump was made, without any row: its migrations, then its partitions. */
export async function makeSchema(client: pg.Client, database: DatabaseName, dumped: DumpedDatabase): Promise<void> {
  for (const owner of await ownersOf(database)) {
    const last = dumped.migrations[owner.versionTable]?.at(-1);
    if (last !== undefined) await migrateWithin({ client, ...owner, to: last.version });
  }
  await matchPartitions(client, dumped.tables);
  const made = (await client.query<TableRow>(tablesSql.text)).rows.map(shapeOf).toSorted();
  const wanted = dumped.tables.map(shapeOf).toSorted();
  const odd = made.find((shape) => !wanted.includes(shape)) ?? wanted.find((shape) => !made.includes(shape));
  if (odd !== undefined) throw new Refusal(`${database}: the dump's tables are not those that its migrations make: ${odd}`);
  // What migrations put there comes with the dump, as it was changed since.
  await client.query(`truncate ${dumped.tables.map(qualified).join(', ')}`);
}

/** What this build has beyond the dump's migrations, in the same transaction. Answers the files applied. */
export async function migrateOn(client: pg.Client, owners: readonly SchemaOwner[]): Promise<string[]> {
  const applied: string[] = [];
  for (const owner of owners) applied.push(...(await migrateWithin({ client, ...owner })));
  return applied;
}

/** Services make and drop partitions as time goes on: the fresh ones are replaced by the dump's. */
async function matchPartitions(client: pg.Client, tables: readonly DumpedTable[]): Promise<void> {
  const { rows: made } = await client.query<TableRow>(tablesSql.text);
  const isSame = (a: { schema: string; name: string }, b: { schema: string; name: string }): boolean => a.schema === b.schema && a.name === b.name;
  for (const row of made) {
    if (row.bounds !== null && !tables.some((table) => isSame(table, row) && table.partition?.bounds === row.bounds)) await client.query(`drop table ${qualified(row)}`);
  }
  for (const table of tables) {
    const { partition } = table;
    if (partition === undefined || made.some((row) => isSame(row, table) && row.bounds === partition.bounds)) continue;
    await client.query(`create table ${qualified(table)} partition of ${qualified({ schema: partition.schema, name: partition.parent })} ${partition.bounds}`);
  }
}

const shapeOf = (table: DumpedTable | TableRow): string => `${table.schema}.${table.name} (${(table.columns ?? []).toSorted().join(', ')})`;

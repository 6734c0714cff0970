import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import Postgrator from 'postgrator';
import type { Logger, Readiness } from '@leasehold/service';
import type { Database } from './database.js';

export interface MigrateOptions {
  readonly connectionString: string;
  /** Folder of `NNN.do.<name>.sql` files: numbered, forward-only, never changed once landed. */
  readonly directory: URL;
  /** Where the versions of this directory are kept, so that two owners of tables can share a database; default `schema_version`. */
  readonly versionTable?: string;
  readonly logger: Logger;
}

const defaultVersionTable = 'schema_version';

// Any fixed number will do, as long as all of Leasehold's migrations of one database use it.
export const lockKey = 7_400_001;

/**
 * Applies what is missing, in one transaction under an advisory lock: two deployments at once apply it once, and a failure
 * leaves nothing half done. Refuses when a file that was applied has changed since.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: options.connectionString, application_name: 'leasehold migrate' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lockKey]);
    const applied = await postgrator(options.directory, options.versionTable ?? defaultVersionTable, (text) => client.query<Record<string, unknown>>(text)).migrate('max');
    await client.query('commit');
    for (const migration of applied) options.logger.info({ event: 'migration_applied', version: migration.version, migration: migration.name }, 'migration applied');
    return { applied: applied.map((m) => basename(m.filename)) };
  } finally {
    // Without a commit the server rolls back as the connection closes.
    await client.end();
  }
}

/**
 * Whether every migration of this build is applied, unchanged. Later ones, of a newer build, are fine: the schema is expanded
 * before it is contracted, so the previous release runs on it.
 */
export async function checkMigrations(db: Database, directory: URL, versionTable = defaultVersionTable): Promise<Readiness> {
  const name = versionTable === defaultVersionTable ? 'migrations' : `migrations ${versionTable}`;
  const migrations = (await postgrator(directory, versionTable, (text) => db.pool.query<Record<string, unknown>>(text)).getMigrations()).filter((m) => m.action === 'do');
  const applied = new Map<number, string>();
  try {
    const { rows } = await db.pool.query<{ version: bigint; md5: string }>(`select version, md5 from ${pg.escapeIdentifier(versionTable)} where version > 0`);
    for (const row of rows) applied.set(Number(row.version), row.md5);
  } catch (error) {
    return { name, ok: false, detail: `the schema cannot be read (${error instanceof Error ? error.message : String(error)}): run the service's migrate command` };
  }
  const missing = migrations.filter((m) => !applied.has(m.version)).map((m) => basename(m.filename));
  if (missing.length > 0) return { name, ok: false, detail: `not applied: ${missing.join(', ')}: run the service's migrate command` };
  const changed = migrations.filter((m) => applied.get(m.version) !== m.md5).map((m) => basename(m.filename));
  if (changed.length > 0) return { name, ok: false, detail: `applied with another content: ${changed.join(', ')}` };
  return { name, ok: true };
}

const postgrator = (directory: URL, schemaTable: string, execQuery: (text: string) => Promise<{ rows: Record<string, unknown>[] }>): Postgrator =>
  new Postgrator({
    driver: 'pg',
    migrationPattern: `${fileURLToPath(directory)}*.sql`,
    schemaTable,
    validateChecksums: true,
    execQuery,
  });

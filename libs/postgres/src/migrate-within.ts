import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import Postgrator from 'postgrator';

/** A migration as its file is now. `md5` is what the version table keeps of an applied one. */
export interface KnownMigration {
  readonly version: number;
  readonly file: string;
  readonly md5: string;
}

export interface MigrateWithinOptions {
  /** With an open transaction; this neither begins nor ends one. */
  readonly client: pg.ClientBase;
  readonly directory: URL;
  readonly versionTable: string;
  /** The last version to apply; default: all that there are. */
  readonly to?: number;
}

/** The migrations of a directory, in order. */
export async function listMigrations(directory: URL): Promise<KnownMigration[]> {
  const found = await new Postgrator({ driver: 'pg', migrationPattern: patternOf(directory) }).getMigrations();
  return found.filter(({ action }) => action === 'do').map(({ version, filename, md5 }) => ({ version, file: basename(filename), md5: md5 ?? '' }));
}

/**
 * As `migrate`, within the caller's transaction: for whoever makes schema and content at once (restore). The caller holds `migrationLock`.
 * Answers the files applied. Fails, and with it the transaction, when a file that was applied has changed since.
 */
export async function migrateWithin({ client, directory, versionTable, to }: MigrateWithinOptions): Promise<string[]> {
  const execQuery = (text: string): Promise<{ rows: Record<string, unknown>[] }> => client.query<Record<string, unknown>>(text);
  const postgrator = new Postgrator({ driver: 'pg', migrationPattern: patternOf(directory), schemaTable: versionTable, validateChecksums: true, execQuery });
  const applied = await postgrator.migrate(to === undefined ? 'max' : String(to));
  return applied.map(({ filename }) => basename(filename));
}

const patternOf = (directory: URL): string => `${fileURLToPath(directory)}*.sql`;

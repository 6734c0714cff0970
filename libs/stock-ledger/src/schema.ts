import { checkMigrations, migrate, type Database } from '@leasehold/postgres';
import type { Logger, Readiness } from '@leasehold/service';

const directory = new URL('../migrations/', import.meta.url);
const versionTable = 'ledger_schema_version';

/** What makes the ledger's tables, and where is kept which of it is applied; for whoever makes a database again. */
export const ledgerSchema = { directory, versionTable } as const;

/** Brings the ledger's tables of the database `records` up to this build; beside those of other owners. */
export const migrateLedger = async (o: { connectionString: string; logger: Logger }): Promise<{ applied: string[] }> => migrate({ ...o, directory, versionTable });

/** Whether the ledger's tables are those of this build, or later. */
export const checkLedger = async (db: Database): Promise<Readiness> => checkMigrations(db, directory, versionTable);

/** Files for grantServiceRole: what each service may do with the ledger's tables. */
export const ledgerGrants = {
  ingest: new URL('../grants-ingest.sql', import.meta.url),
  importWorker: new URL('../grants-import-worker.sql', import.meta.url),
} as const;

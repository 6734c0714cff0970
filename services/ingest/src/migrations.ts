import { checkMigrations, type Database, migrate } from '@leasehold/postgres';
import type { Logger, Readiness } from '@leasehold/service';
import { checkLedger, ledgerGrants, migrateLedger } from '@leasehold/stock-ledger';

/** Where ingest's own migrations of `records` lie, seen from src/ and from dist/ alike. */
export const migrationsDirectory = new URL('../migrations/', import.meta.url);
/** What the role of the service is granted: of its own tables, and of the ledger's. */
export const serviceRole: readonly URL[] = [new URL('../service-role.sql', import.meta.url), ledgerGrants.ingest];

/** Brings the whole database `records` up to this build: ingest's tables and the ledger's. Both may be repeated, and done by several at once. */
export async function migrateRecords(o: { connectionString: string; logger: Logger }): Promise<{ applied: string[] }> {
  const own = await migrate({ ...o, directory: migrationsDirectory });
  const ledger = await migrateLedger(o);
  return { applied: [...own.applied, ...ledger.applied.map((name) => `ledger/${name}`)] };
}

/** Whether both owners' tables are those of this build, or later. */
export async function checkRecords(db: Database): Promise<Readiness> {
  const checks = [await checkMigrations(db, migrationsDirectory), await checkLedger(db)];
  return checks.find(({ ok }) => !ok) ?? { name: 'migrations', ok: true };
}

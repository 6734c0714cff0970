import { parseArgs } from 'node:util';
import { grantServiceRole } from '@leasehold/postgres';
import { ConfigError, createLogger, parseConfig } from '@leasehold/service';
import { ledgerGrants } from '@leasehold/stock-ledger';
import { variables } from './config.js';
import { migrateRecords, serviceRole } from './migrations.js';

// The entry of `node dist/migrate.js [--grant-to ROLE] [--grant-worker-to ROLE]`: brings the database `records` up to this build and gives the roles of ingest
// and of import-worker what they need there, then ends. Safe to run twice and at the same time.
const logger = createLogger({ service: 'ingest-migrate' });
try {
  const { LEASEHOLD_RECORDS_DATABASE_URL } = variables;
  const { 'grant-to': role, 'grant-worker-to': worker } = parseArgs({ options: { 'grant-to': { type: 'string' }, 'grant-worker-to': { type: 'string' } } }).values;
  const { LEASEHOLD_RECORDS_DATABASE_URL: connectionString } = parseConfig({ LEASEHOLD_RECORDS_DATABASE_URL }, process.env);
  const { applied } = await migrateRecords({ connectionString, logger });
  if (role !== undefined) await grantServiceRole({ connectionString, role, grants: serviceRole, logger });
  if (worker !== undefined) await grantServiceRole({ connectionString, role: worker, grants: ledgerGrants.importWorker, logger });
  logger.info({ event: 'migrated', database: 'records', applied }, 'the database is up to date');
} catch (error) {
  if (error instanceof ConfigError) process.stderr.write(`ingest cannot migrate: ${error.message}\n`);
  else logger.fatal({ event: 'migration_failed', err: error }, 'nothing was applied');
  process.exitCode = error instanceof ConfigError ? 78 : 1;
}

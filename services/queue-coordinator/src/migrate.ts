import { parseArgs } from 'node:util';
import { grantServiceRole, migrate } from '@leasehold/postgres';
import { ConfigError, createLogger } from '@leasehold/service';
import { readDatabaseUrl } from './config.js';
import { migrations, serviceRole } from './server.js';

// The command that brings the queue database to this build's schema: node dist/migrate.js [--grant-to ROLE]
const logger = createLogger({ service: 'queue-coordinator migrate' });
try {
  const { 'grant-to': role } = parseArgs({ options: { 'grant-to': { type: 'string' } } }).values;
  const connectionString = readDatabaseUrl(process.env);
  await migrate({ connectionString, directory: migrations, logger });
  if (role !== undefined) await grantServiceRole({ connectionString, role, grants: serviceRole, logger });
} catch (error) {
  if (error instanceof ConfigError) process.stderr.write(`queue-coordinator migrate: ${error.message}\n`);
  else logger.fatal({ event: 'migration_failed', err: error }, 'what this run had not committed is as it was');
  process.exitCode = 1;
}

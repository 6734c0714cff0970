import { migrate } from '@leasehold/postgres';
import { ConfigError, createLogger } from '@leasehold/service';
import { readDatabaseUrl } from './config.js';
import { migrations } from './server.js';

// The command that brings the queue database to this build's schema: node dist/migrate.js
const logger = createLogger({ service: 'queue-coordinator migrate' });
try {
  await migrate({ connectionString: readDatabaseUrl(process.env), directory: migrations, logger });
} catch (error) {
  if (error instanceof ConfigError) process.stderr.write(`queue-coordinator migrate: ${error.message}\n`);
  else logger.fatal({ event: 'migration_failed', err: error }, 'the queue database was left as it was');
  process.exitCode = 1;
}

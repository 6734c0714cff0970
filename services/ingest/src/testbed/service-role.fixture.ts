import { grantServiceRole } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import pg from 'pg';
import { migrateRecords, serviceRole } from '../migrations.js';

const logger = createLogger({ service: 'ingest-test', level: 'silent' });
const role = 'ingest_under_test';

/** Migrates, and grants the role that ingests under test connect as: they must get along with what the documented grants give. */
export async function prepare(connectionString: string): Promise<void> {
  await migrateRecords({ connectionString, logger });
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  // Roles belong to the whole cluster, and several test files may prepare at once.
  const password = pg.escapeLiteral(decodeURIComponent(new URL(connectionString).password));
  await owner.query(`do $do$ begin create role ${role} login password ${password}; exception when duplicate_object or unique_violation then null; end $do$`);
  await owner.end();
  await grantServiceRole({ connectionString, role, grants: serviceRole, logger });
}

/** The same database, as the service connects to it. */
export function asService(connectionString: string): string {
  const url = new URL(connectionString);
  url.username = role;
  return url.href;
}

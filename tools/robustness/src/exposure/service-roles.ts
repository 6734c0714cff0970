import { randomBytes } from 'node:crypto';
import { startProcess, type PostgresServer } from '@leasehold/test-stack';
import pg from 'pg';
import type { Databases } from '../fleet/databases.js';
import { programs } from '../fleet/programs.js';

/** The databases as services connect to them: each by a role of its own that can do what its service needs, granted by the migrate commands. */
export interface ServiceDatabases extends Databases {
  /** As the owner connects to them. */
  readonly owner: Databases;
  /** Each of their passwords. */
  readonly passwords: readonly string[];
}

export async function databasesOfRoles(server: PostgresServer): Promise<ServiceDatabases> {
  const owner = { queue: await server.ensureDatabase('queue'), records: await server.ensureDatabase('records') };
  const [queue, records] = [randomBytes(18).toString('hex'), randomBytes(18).toString('hex')];
  const admin = new pg.Client({ connectionString: owner.queue });
  await admin.connect();
  await admin.query(`create role leasehold_queue login password '${queue}'; create role leasehold_records login password '${records}'`);
  await admin.end();
  await migrate(programs.coordinatorMigrations, 'leasehold_queue', { LEASEHOLD_QUEUE_DATABASE_URL: owner.queue });
  await migrate(programs.ingestMigrations, 'leasehold_records', { LEASEHOLD_RECORDS_DATABASE_URL: owner.records });
  return {
    owner,
    queue: as(owner.queue, 'leasehold_queue', queue),
    records: as(owner.records, 'leasehold_records', records),
    passwords: [queue, records, decodeURIComponent(new URL(owner.queue).password)],
  };
}

async function migrate(program: string, role: string, env: Readonly<Record<string, string>>): Promise<void> {
  const running = await startProcess({ name: program, args: [program, '--grant-to', role], env });
  const { code } = await running.exited;
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${running.tail()}`);
}

function as(databaseUrl: string, role: string, password: string): string {
  const url = new URL(databaseUrl);
  [url.username, url.password] = [role, password];
  return url.href;
}

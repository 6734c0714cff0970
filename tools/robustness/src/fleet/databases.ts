import { startProcess, testDatabase, type PostgresServer } from '@leasehold/test-stack';
import { programs } from './programs.js';

/** URLs of the two databases, migrated. */
export interface Databases {
  readonly queue: string;
  readonly records: string;
}

/** Fresh databases on the server of the test run, cloned from ones that are migrated once a run. */
export async function databasesOfTheRun(): Promise<Databases> {
  const [queue, records] = await Promise.all([
    testDatabase({ template: { name: 'queue', prepare: migrateQueue } }),
    testDatabase({ template: { name: 'records', prepare: migrateRecords } }),
  ]);
  return { queue: queue.connectionString, records: records.connectionString };
}

/** Databases on a server of one's own, for whoever kills it. */
export async function databasesOn(server: PostgresServer): Promise<Databases> {
  const [queue, records] = [await server.ensureDatabase('queue'), await server.ensureDatabase('records')];
  await Promise.all([migrateQueue(queue), migrateRecords(records)]);
  return { queue, records };
}

const migrateQueue = (url: string): Promise<void> => runToItsEnd(programs.coordinatorMigrations, { LEASEHOLD_QUEUE_DATABASE_URL: url });
const migrateRecords = (url: string): Promise<void> => runToItsEnd(programs.ingestMigrations, { LEASEHOLD_RECORDS_DATABASE_URL: url });

async function runToItsEnd(program: string, env: Readonly<Record<string, string>>): Promise<void> {
  const running = await startProcess({ name: program, args: [program], env });
  const { code } = await running.exited;
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${running.tail()}`);
}

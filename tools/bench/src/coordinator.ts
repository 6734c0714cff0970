import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, type ServiceProcess } from '@leasehold/test-stack';

export const coordinatorFolder = dirname(fileURLToPath(import.meta.resolve('@leasehold/queue-coordinator')));

/** Runs a program that brings a database up to date. */
export async function migrated(file: string, env: Record<string, string>): Promise<void> {
  const migrating = await startProcess({ name: 'migrate', args: [file], env });
  const { code } = await migrating.exited;
  if (code !== 0) throw new Error(`migrations failed: ${migrating.tail()}`);
}

/** A coordinator process on a database that it has brought up to date. */
export async function startCoordinator(databaseUrl: string, grpcPort: number): Promise<ServiceProcess> {
  const env = { LEASEHOLD_QUEUE_DATABASE_URL: databaseUrl, LEASEHOLD_GRPC_PORT: String(grpcPort), LEASEHOLD_HTTP_PORT: '0' };
  await migrated(join(coordinatorFolder, 'migrate.js'), env);
  const coordinator = await startProcess({ name: 'queue-coordinator', args: [join(coordinatorFolder, 'main.js')], env });
  await coordinator.waitForEvent((event) => event['event'] === 'service_started');
  return coordinator;
}

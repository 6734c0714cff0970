import { fileURLToPath } from 'node:url';
import { programs as worker } from '@leasehold/image-worker';
import { entryPoints as ingest } from '@leasehold/ingest';

/** What `node` runs: the compiled entries, as they are started in production. */
export const programs = Object.freeze({
  coordinator: ofTheCoordinator('main.js'),
  coordinatorMigrations: ofTheCoordinator('migrate.js'),
  ingest: fileURLToPath(ingest.main),
  ingestMigrations: fileURLToPath(ingest.migrate),
  worker: worker.worker,
  workerWithFailpoints: worker.workerWithFailpoints,
});

function ofTheCoordinator(file: string): string {
  return fileURLToPath(new URL(file, import.meta.resolve('@leasehold/queue-coordinator')));
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs as worker } from '@leasehold/image-worker';
import { programs as importWorker } from '@leasehold/import-worker';
import { entryPoints as ingest } from '@leasehold/ingest';

export type Programs = Readonly<Record<'coordinator' | 'coordinatorMigrations' | 'ingest' | 'ingestMigrations' | 'worker' | 'workerWithFailpoints' | 'importWorker' | 'importWorkerWithFailpoints', string>>;

/** What `node` runs: the compiled entries, as they are started in production. */
export const programs: Programs = Object.freeze({
  coordinator: ofTheCoordinator('main.js'),
  coordinatorMigrations: ofTheCoordinator('migrate.js'),
  ingest: fileURLToPath(ingest.main),
  ingestMigrations: fileURLToPath(ingest.migrate),
  worker: worker.worker,
  workerWithFailpoints: worker.workerWithFailpoints,
  importWorker: importWorker.worker,
  importWorkerWithFailpoints: importWorker.workerWithFailpoints,
});

function ofTheCoordinator(file: string): string {
  return fileURLToPath(new URL(file, import.meta.resolve('@leasehold/queue-coordinator')));
}

const releasesFolder = process.env['LEASEHOLD_RELEASES'] ?? fileURLToPath(new URL('../../releases/', import.meta.url));

/** The names of the releases that are kept, oldest first; each is a folder that `npm run release:bundle` has made. */
export const releases: readonly string[] = existsSync(releasesFolder) ? readdirSync(releasesFolder).filter((name) => /^v\d/.test(name)).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })) : [];

/** The programs of a release as it was built. */
export function programsOf(release: string): Programs {
  const at = (path: string): string => join(releasesFolder, release, 'services', path);
  return {
    coordinator: at('queue-coordinator/src/main.js'),
    coordinatorMigrations: at('queue-coordinator/src/migrate.js'),
    ingest: at('ingest/src/main.js'),
    ingestMigrations: at('ingest/src/migrate.js'),
    worker: at('image-worker/src/main.js'),
    workerWithFailpoints: at('image-worker/src/testing/main.js'),
    importWorker: at('import-worker/src/main.js'),
    importWorkerWithFailpoints: at('import-worker/src/testing/main.js'),
  };
}

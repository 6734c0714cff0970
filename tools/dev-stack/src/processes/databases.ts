import { join } from 'node:path';
import { StackFault, startPostgres, type PostgresServer } from '@leasehold/test-stack';
import { remember } from '../data/leftovers.js';
import type { Launcher, LauncherOptions } from './launcher.js';
import { defaultPorts } from './ports.js';
import { migrations } from './programs.js';
import { logOf } from './service.js';

/** Starts PostgreSQL on the data folder. Should it end by itself, that is told; after `stop()` it is ignored by who asked for it. */
export async function startServer(launcher: Launcher, { folder, onNote, onBroken }: Pick<LauncherOptions, 'folder' | 'onNote' | 'onBroken'>): Promise<PostgresServer> {
  const server = await launcher.retried(async () => startPostgres({
    dataDir: folder.postgres, port: await launcher.ports.take(defaultPorts.postgres, 'PostgreSQL'), logFile: join(folder.logs, 'postgres.log'),
  }));
  await remember(folder.processes, server.pid);
  const { pid } = server;
  void server.exited.then(() => onBroken(new StackFault(`PostgreSQL (process ${pid}) has ended; see ${logOf({ name: 'postgres' }, folder)}`)));
  if (server.dataDir !== folder.postgres) onNote(`PostgreSQL cannot reach ${folder.postgres} as the unprivileged user that it runs as; its data is in ${server.dataDir}`);
  return server;
}

export interface DatabaseUrls {
  readonly queue: string;
  readonly records: string;
}

/** Makes both databases and brings them to this build's schema. */
export async function migrate(launcher: Launcher, server: PostgresServer): Promise<DatabaseUrls> {
  const [queue, records] = await Promise.all([server.ensureDatabase('queue'), server.ensureDatabase('records')]);
  await Promise.all(migrations(queue, records).map((program) => launcher.toItsEnd(program)));
  return { queue, records };
}


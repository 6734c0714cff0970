import type pg from 'pg';
import { databaseNames, named, type DatabaseName, type DatabaseUrls } from './databases.js';
import { createDump } from './dump-folder.js';
import { formatVersion, type Manifest } from './manifest.js';
import { openSession } from './session.js';
import { saveDatabase, takeSnapshot, type Snapshot, type Watcher } from './snapshot.js';

export interface BackupOptions {
  /** At least one. */
  readonly urls: DatabaseUrls;
  /** Must not be there. */
  readonly folder: string;
  readonly watcher: Watcher;
  readonly signal: AbortSignal;
}

interface Open {
  readonly name: DatabaseName;
  readonly client: pg.Client;
  readonly snapshot: Snapshot;
}

/**
 * Dumps the databases while they are used. Both snapshots are taken before the first row is read, the queue's first (the README says why), so that
 * they differ by milliseconds however big the databases are; each is let go of as soon as its database is written, as it holds back vacuum.
 */
export async function backup({ urls, folder, watcher, signal }: BackupOptions): Promise<Manifest> {
  const names = databaseNames.filter((name) => urls[name] !== undefined);
  return createDump(folder, names, async (unfinished) => {
    const open: Open[] = [];
    try {
      for (const name of names) open.push(await named(name, signal, () => begin(name, urls[name] ?? '', signal)));
      const databases: Manifest['databases'] = {};
      for (const { name, client, snapshot } of open) {
        databases[name] = await named(name, signal, () => saveDatabase(client, name, snapshot, unfinished, watcher));
        await client.end();
      }
      return { format: 'leasehold-dump', formatVersion, createTime: new Date().toISOString(), databases };
    } finally {
      await Promise.allSettled(open.map(({ client }) => client.end()));
    }
  });
}

async function begin(name: DatabaseName, url: string, signal: AbortSignal): Promise<Open> {
  const client = await openSession(url, signal);
  try {
    return { name, client, snapshot: await takeSnapshot(client) };
  } catch (error) {
    await client.end();
    throw error;
  }
}

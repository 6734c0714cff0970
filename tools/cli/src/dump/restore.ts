import type pg from 'pg';
import { Refusal } from '../terminal.js';
import { databaseNames, named, ownersOf, type DatabaseName, type DatabaseUrls } from './databases.js';
import { verifyDump } from './dump-folder.js';
import { loadTables } from './load.js';
import type { DumpedDatabase } from './manifest.js';
import { makeSchema, migrateOn, refuseForeignSchema } from './schema.js';
import { openSession } from './session.js';
import type { Watcher } from './snapshot.js';
import { beginIn } from './target.js';

export interface RestoreOptions {
  /** At least one. */
  readonly urls: DatabaseUrls;
  readonly folder: string;
  /** Drop what is in the databases; otherwise they must be empty. */
  readonly replace: boolean;
  readonly watcher: Watcher;
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly database: DatabaseName;
  readonly snapshotTime: string;
  readonly tables: number;
  readonly rows: number;
  /** Of this build, beyond those of the dump. */
  readonly migrated: readonly string[];
  /** Where fences go on; only the queue has them. */
  readonly fence?: string;
}

interface Open {
  readonly name: DatabaseName;
  readonly client: pg.Client;
  readonly restored: Restored;
}

/**
 * Makes the databases as they were. Everything is checked before a database is touched; each is filled in one transaction, and none is committed before
 * all are filled: a failure, a kill or a lost connection leaves every one as it was.
 * @throws Refusal for a dump that is damaged, foreign or of a later release, and for a target that is not empty, in use or away.
 */
export async function restore({ urls, folder, replace, watcher, signal }: RestoreOptions): Promise<Restored[]> {
  const names = databaseNames.filter((name) => urls[name] !== undefined);
  const { databases } = await verifyDump(folder, names, signal);
  const open: Open[] = [];
  try {
    for (const name of names) {
      const dumped = databases[name];
      if (dumped === undefined) throw new Refusal(`the dump does not hold ${name}: say --only for what it holds (${Object.keys(databases).join(', ')})`);
      await refuseForeignSchema(name, dumped);
    }
    for (const name of names) {
      const dumped = databases[name];
      if (dumped !== undefined) open.push(await named(name, signal, () => fill(name, urls[name] ?? '', dumped, { folder, replace, watcher, signal })));
    }
    signal.throwIfAborted();
    await commitAll(open, signal);
    return open.map(({ restored }) => restored);
  } finally {
    await Promise.allSettled(open.map(({ client }) => client.end()));
  }
}

async function fill(name: DatabaseName, url: string, dumped: DumpedDatabase, o: Omit<RestoreOptions, 'urls'>): Promise<Open> {
  const client = await openSession(url, o.signal);
  try {
    await beginIn(client, name, dumped, o);
    await makeSchema(client, name, dumped);
    await loadTables(client, name, dumped, o.folder, o.watcher);
    const migrated = await migrateOn(client, await ownersOf(name));
    const rows = dumped.tables.reduce((sum, table) => sum + table.rows, 0);
    const restored = { database: name, snapshotTime: dumped.snapshotTime, tables: dumped.tables.length, rows, migrated };
    return { name, client, restored: name === 'queue' ? { ...restored, fence: await advanceFences(client) } : restored };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** To the greater of its value and now: above every fence that was drawn after the dump, which workers and stored pictures may still carry. */
async function advanceFences(client: pg.Client): Promise<string> {
  const { rows: [row] } = await client.query<{ fence: string }>('select advance_fence_seq()::text as fence');
  return row?.fence ?? '';
}

/** There is no commit over two databases. Should the second one fail, what to do is said. */
async function commitAll(open: readonly Open[], signal: AbortSignal): Promise<void> {
  const done: DatabaseName[] = [];
  for (const { name, client } of open) {
    try {
      await named(name, signal, () => client.query('commit'));
    } catch (error) {
      if (done.length === 0) throw error;
      throw new Refusal(`${done.join(', ')} is restored, but ${error instanceof Error ? error.message : String(error)}: run the restore again with --only ${name}`, { cause: error });
    }
    done.push(name);
  }
  // Without figures of its tables a queue would be read with plans for empty ones. Committed is committed: no failure from here on counts.
  await Promise.allSettled(open.map(({ client }) => client.query('analyze')));
}

import { parseConfig, url } from '@leasehold/service';
import { Option, type Command } from 'commander';
import prettyBytes from 'pretty-bytes';
import { Refusal, type Terminal } from '../terminal.js';
import { backup } from './backup.js';
import { databaseNames, variableOf, type DatabaseName, type DatabaseUrls } from './databases.js';
import type { Manifest } from './manifest.js';
import { progressOn } from './progress.js';
import { restore, type Restored } from './restore.js';

interface DatabaseFlags {
  readonly only?: DatabaseName;
  readonly queueDatabaseUrl?: string;
  readonly recordsDatabaseUrl?: string;
}

/** Adds `backup` and `restore` to the root command. */
export function addDumpCommands(root: Command, terminal: Terminal): void {
  const json = (): boolean => root.opts<{ json?: boolean }>().json === true;
  withDatabases(root.command('backup').argument('<folder>', 'where to write; it must not be there'))
    .description('dumps both databases while they are used')
    .action(async (folder: string, flags: DatabaseFlags) => {
      const urls = urlsOf(flags, terminal.env);
      const manifest = await interruptible(terminal, 'nothing was written', (signal) => backup({ urls, folder, watcher: progressOn(terminal), signal }));
      terminal.out(json() ? JSON.stringify({ folder, ...manifest }, null, 2) : backedUp(folder, manifest));
    });
  withDatabases(root.command('restore').argument('<folder>', 'a dump that backup has made'))
    .description('makes the databases as they were when they were dumped; stop every service first')
    .option('--replace', 'drop everything that is in the databases; otherwise they must be empty')
    .action(async (folder: string, flags: DatabaseFlags & { replace?: boolean }) => {
      const urls = urlsOf(flags, terminal.env);
      const restored = await interruptible(terminal, 'nothing was restored', (signal) => restore({ urls, folder, replace: flags.replace === true, watcher: progressOn(terminal), signal }));
      terminal.out(json() ? JSON.stringify(restored, null, 2) : restoredAs(restored));
    });
}

const withDatabases = (command: Command): Command => command
  .addOption(new Option('--only <database>', 'one of the two databases').choices(databaseNames))
  // The variable is the better place: a command line is readable by everybody on the machine. Not commander's env(): help would print the value.
  .option('--queue-database-url <url>', `default: ${variableOf.queue}`)
  .option('--records-database-url <url>', `default: ${variableOf.records}`);

function urlsOf({ only, queueDatabaseUrl, recordsDatabaseUrl }: DatabaseFlags, env: NodeJS.ProcessEnv): DatabaseUrls {
  const flags = { queue: queueDatabaseUrl, records: recordsDatabaseUrl };
  const names = databaseNames.filter((name) => only === undefined || name === only);
  const variables = Object.fromEntries(names.map((name) => [variableOf[name], url({ desc: `the database ${name}, or say --${name}-database-url`, example: `postgresql://user:password@127.0.0.1:5432/${name}` })]));
  const given = Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[variableOf[name], flags[name]]])));
  const read = parseConfig(variables, { ...env, ...given });
  return Object.fromEntries(names.map((name) => [name, read[variableOf[name]]]));
}

/** With Ctrl-C as an end in good order. */
async function interruptible<T>(terminal: Terminal, untouched: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = terminal.interrupt?.() ?? new AbortController().signal;
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? new Refusal(`interrupted: ${untouched}`, { cause: error }) : error;
  }
}

function backedUp(folder: string, { databases }: Manifest): string {
  const lines = databaseNames.flatMap((name) => {
    const dumped = databases[name];
    if (dumped === undefined) return [];
    const { rows, bytes } = sumOf(dumped.tables);
    return [`${name}: ${rows.toLocaleString('en')} rows in ${dumped.tables.length} tables, ${prettyBytes(bytes)}, as of ${dumped.snapshotTime}`];
  });
  return [...lines, `${folder} is complete. It holds payloads and lease tokens: keep it as you keep the databases.`].join('\n');
}

const sumOf = (tables: readonly { rows: number; bytes: number }[]): { rows: number; bytes: number } =>
  tables.reduce((sum, { rows, bytes }) => ({ rows: sum.rows + rows, bytes: sum.bytes + bytes }), { rows: 0, bytes: 0 });

function restoredAs(restored: readonly Restored[]): string {
  const lines = restored.flatMap(({ database, snapshotTime, tables, rows, migrated, fence }) => [
    `${database}: ${rows.toLocaleString('en')} rows in ${tables} tables, as of ${snapshotTime}`,
    ...(migrated.length === 0 ? [] : [`  brought to this build's schema with ${migrated.join(', ')}`]),
    ...(fence === undefined ? [] : [`  fences go on from ${fence}`]),
  ]);
  return [...lines, 'Every row, constraint and checksum is as in the dump. Service roles have no rights yet: run each service\'s migrate command with --grant-to, then start the services.'].join('\n');
}

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { StackFault } from './stack-fault.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the PostgreSQL that runs for this project; set by `project({ postgres: true })`. */
    leaseholdPostgres?: string;
  }
}

export interface TestDatabaseOptions {
  /**
   * Clone a prepared database instead of an empty one. The first caller of the run with this name prepares it (migrations), everybody else, in
   * whatever test file, waits and clones. `prepare` must close its connections.
   */
  readonly template?: { readonly name: string; readonly prepare: (connectionString: string) => Promise<unknown> };
}

export interface TestDatabase {
  readonly name: string;
  readonly connectionString: string;
  /** Removes the database, with whoever is still connected. Safe to call twice. Not needed for tidiness: the server goes after the run. */
  drop(): Promise<void>;
}

/** A fresh database of its own on the project's PostgreSQL. Safe in parallel test files. */
export async function testDatabase(o: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { inject } = await import('vitest'); // Not at the top: tools use this package outside tests.
  const server = inject('leaseholdPostgres');
  if (server === undefined) throw new StackFault('no PostgreSQL runs for this project: its vitest.config.ts needs project({ postgres: true })');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server, async (admin) => {
    const template = o.template === undefined ? 'template0' : await prepared(admin, server, o.template);
    await admin.query(`create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`);
  });
  const drop = (): Promise<void> => asAdmin(server, async (admin) => {
    await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  });
  return { name, connectionString: onDatabase(server, name), drop };
}

/** The template's database; made first if it is not there. It gets its name when it is complete, so that a failed preparation is repeated. */
async function prepared(admin: pg.Client, server: string, { name, prepare }: NonNullable<TestDatabaseOptions['template']>): Promise<string> {
  const template = `template_${name}`;
  const making = `${template}_making`;
  await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return template;
    await admin.query(`drop database if exists ${pg.escapeIdentifier(making)} with (force)`);
    await admin.query(`create database ${pg.escapeIdentifier(making)} template template0`);
    await prepare(onDatabase(server, making));
    await admin.query(`alter database ${pg.escapeIdentifier(making)} rename to ${pg.escapeIdentifier(template)}`);
    // Autovacuum, or a session by mistake, would make cloning wait or fail.
    await admin.query(`alter database ${pg.escapeIdentifier(template)} allow_connections false`);
    return template;
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [template]);
  }
}

async function asAdmin(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function onDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

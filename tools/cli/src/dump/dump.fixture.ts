import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import pg from 'pg';
import { exitCodes, program } from '../index.js';
import { ownersOf, variableOf, type DatabaseName } from './databases.js';

const logger = createLogger({ service: 'test', level: 'silent' });

export interface Pair {
  readonly queue: string;
  readonly records: string;
}

/** Two databases as their services' migrate commands leave them. */
export const migratedPair = async (): Promise<Pair> => {
  const made = async (name: DatabaseName): Promise<string> => {
    const prepare = async (connectionString: string): Promise<void> => {
      for (const owner of await ownersOf(name)) await migrate({ connectionString, ...owner, logger });
    };
    return (await testDatabase({ template: { name, prepare } })).connectionString;
  };
  const [queue, records] = await Promise.all([made('queue'), made('records')]);
  return { queue, records };
};

export async function emptyPair(): Promise<Pair> {
  const [queue, records] = await Promise.all([testDatabase(), testDatabase()]);
  return { queue: queue.connectionString, records: records.connectionString };
}

export async function sqlOn<R extends object>(connectionString: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Tables, views, sequences and functions that are not PostgreSQL's own. */
export async function objectsIn(connectionString: string): Promise<number> {
  const [row] = await sqlOn<{ n: number }>(connectionString, "select ((select count(*) from pg_class where relnamespace = 'public'::regnamespace) + (select count(*) from pg_proc where pronamespace = 'public'::regnamespace))::integer as n");
  return row?.n ?? -1;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line, with the databases in its environment. */
export async function leasehold(pair: Partial<Pair>, args: readonly string[], interrupt?: () => AbortSignal): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const env = { [variableOf.queue]: pair.queue, [variableOf.records]: pair.records };
  const code = await program({ args, env, out: (text) => out.push(text), err: (text) => err.push(text), colour: false, ...(interrupt && { interrupt }) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** As `leasehold`, for what must succeed. */
export async function done(pair: Partial<Pair>, ...args: string[]): Promise<Ran> {
  const ran = await leasehold(pair, args);
  if (ran.code !== exitCodes.done) throw new Error(`leasehold ${args.join(' ')} ended with ${ran.code}: ${ran.err}`);
  return ran;
}

/** A folder for dumps. */
export async function scratchFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'leasehold-dumps-'));
  return { path, remove: async () => rm(path, { recursive: true, force: true }) };
}

/** Rows that need every kind of care: text that COPY escapes, bytes, nulls, references, identity, partitions of days that no migration makes. */
export async function fillQueue(connectionString: string, jobs = 3): Promise<void> {
  await sqlOn(connectionString, `
    create table finished_jobs_20200101 partition of finished_jobs for values from ('2020-01-01 00:00:00+00') to ('2020-01-02 00:00:00+00');
    insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at, last_reason, excluded_builds)
      select 'default', 'image', 'job-' || n, nextval('fence_seq'), 1, 0, convert_to('payload ' || n, 'UTF8') || '\\x00ff5c'::bytea, '\\x01', 'queued', now(), now(),
        E'a tab\\t, a line\\nbreak, a \\\\backslash, \\\\., \\\\N and 𝄞', array['one', 'two "quoted"']
      from generate_series(1, ${jobs}) n;
    insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at, prune_at, attempts, reason, last_reason, result, fence, build)
      select 'default', 'image', 'old', nextval('fence_seq'), 1, 0, '\\x02', 'succeeded', day, day, day, day, 1, '', '', '', nextval('fence_seq'), 'b' from unnest(array['2020-01-01 12:00Z', '2020-03-01 12:00Z', now()]) as t(day);
    insert into workers (worker_id, build, concurrency, state, registered_at, last_seen_at) values ('w', 'b', 1, 'active', now(), now());
    insert into worker_contracts values ('w', 'image', 1);
    insert into audit_events (at, actor, action, subject, detail) values (now(), 'a', 'b', 'c', '');
    update kind_policies set lease_ms = 4000 where kind = 'image'`);
}

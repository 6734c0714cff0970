import { sql, type Database, type Transaction } from '@leasehold/postgres';
import { jobOf, type Job, type JobRow, type JobState } from './job.js';
import { renderJobName, type JobName } from './job-name.js';

const findSql = sql(import.meta.url, 'find');
const listSql = sql(import.meta.url, 'list');

/** The jobs of these names that have a record, live or finished, by rendered name. */
export async function findJobs(db: Database | Transaction, names: readonly JobName[]): Promise<Map<string, Job>> {
  const rows = await db.query<JobRow>(findSql, [names.map((n) => n.namespace), names.map((n) => n.kind), names.map((n) => n.jobId)]);
  return new Map(rows.map(jobOf).map((job) => [renderJobName(job.name), job]));
}

export interface JobQuery {
  readonly kind: string;
  /** Undefined: any. */
  readonly namespace: string | undefined;
  /** Only enqueues before this one. */
  readonly before: bigint;
  /** Empty: all. */
  readonly states: readonly JobState[];
  readonly limit: number;
}

/** A page of jobs, newest enqueue first. */
export async function listJobs(db: Database, query: JobQuery): Promise<Job[]> {
  const rows = await db.query<JobRow>(listSql, [query.kind, query.namespace ?? null, query.before, query.states, query.limit]);
  return rows.map(jobOf);
}

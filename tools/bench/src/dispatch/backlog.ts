import pg from 'pg';

/** The queue database under measurement. */
export class Backlog {
  readonly #pool: pg.Pool;

  constructor(connectionString: string) {
    this.#pool = new pg.Pool({ connectionString, max: 4 });
  }

  /** An empty queue, then so many no-op jobs that are due. Vacuumed, so that every run starts from the same. */
  async fill(jobs: number): Promise<void> {
    await this.#pool.query('truncate jobs, finished_jobs, outcomes, settlements, workers, worker_contracts, job_events');
    await this.#pool.query(
      `insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at)
       select 'default', 'image', 'job-' || i, nextval('fence_seq'), 1, 0, 'no-op', sha256('no-op'), 'queued', now(), now() - (($1::int - i) || ' us')::interval from generate_series(1, $1::int) i`,
      [jobs],
    );
    await this.#pool.query('vacuum analyze jobs');
    await this.#pool.query('checkpoint');
  }

  async finished(): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>('select count(*)::int as n from finished_jobs');
    return rows[0]?.n ?? 0;
  }

  get pool(): pg.Pool {
    return this.#pool;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

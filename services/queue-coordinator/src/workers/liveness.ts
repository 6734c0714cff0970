import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';

const silenceSql = sql(import.meta.url, 'silence');

export const livenessEveryMs = 2_000;

/** Judges workers gone that were silent for longer than `silenceMs`. */
export function judgeSilentWorkers(db: Database, logger: Logger, silenceMs: number): () => Promise<void> {
  return async () => {
    const rows = await db.query<{ worker_id: string; build: string; silent_ms: number }>(silenceSql, [silenceMs]);
    for (const row of rows) logger.warn({ event: 'worker_gone', worker_id: row.worker_id, build: row.build, silent_ms: Math.round(row.silent_ms) }, 'a worker fell silent');
  };
}

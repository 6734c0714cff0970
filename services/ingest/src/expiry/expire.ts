import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Metrics } from '../figures/metrics.js';
import type { Changes } from '../watch/changes.js';
import { fileName } from '../files/resource-name.js';

const statement = sql(import.meta.url, 'expire');
const atMost = 200;

export interface ExpiryParts {
  readonly db: Database;
  readonly changes: Changes;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** How long an upload may still come in after expire_time, in ms. */
  readonly uploadWindowMs: number;
}

/** Ends cards that were not confirmed in time. Returns how many. */
export async function expirePending({ db, changes, metrics, logger, uploadWindowMs }: ExpiryParts): Promise<number> {
  const rows = await db.query<{ namespace: string; file_id: string }>(statement, [atMost, uploadWindowMs]);
  for (const row of rows) {
    const id = { namespace: row.namespace, fileId: row.file_id };
    changes.announce(fileName(id));
    logger.info({ event: 'file_expired', file: fileName(id) }, 'never confirmed in time');
  }
  metrics.expired.inc(rows.length);
  return rows.length;
}

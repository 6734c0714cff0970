import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Metrics } from '../figures/metrics.js';
import { fileName } from '../files/resource-name.js';

const statement = sql(import.meta.url, 'heal');
const atMost = 200;

export interface HealParts {
  readonly db: Database;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** How long a card stays QUEUED after it was last relayed before it is sent again, in ms. */
  readonly healAfterMs: number;
  /** Wakes the relay. */
  readonly onHealed: () => void;
}

/** Makes the relay send cards again that have been QUEUED for long. Returns how many. */
export async function healQueued({ db, metrics, logger, healAfterMs, onHealed }: HealParts): Promise<number> {
  const rows = await db.query<{ namespace: string; file_id: string }>(statement, [healAfterMs, atMost]);
  for (const row of rows) logger.info({ event: 'file_healed', file: fileName({ namespace: row.namespace, fileId: row.file_id }) }, 'queued for long: its job is sent again');
  metrics.healed.inc(rows.length);
  if (rows.length > 0) onHealed();
  return rows.length;
}

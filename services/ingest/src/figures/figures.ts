import { sql, type Database } from '@leasehold/postgres';
import { states, type State } from '../files/rules.js';
import type { Metrics } from './metrics.js';

const count = sql(import.meta.url, 'count');
const lag = sql(import.meta.url, 'lag');

/** Looks at the records and sets the gauges: apart from a scrape, so that a slow database never makes a scrape fail. */
export async function lookAtFigures(db: Database, metrics: Metrics): Promise<void> {
  const counted = new Map((await db.query<{ state: State; files: bigint }>(count, [])).map((row) => [row.state, Number(row.files)]));
  for (const state of states) metrics.filesByState.set({ state }, counted.get(state) ?? 0);
  const [lags] = await db.query<{ relay: number | null; cancel: number | null }>(lag, []);
  metrics.relayLagSeconds.set(lags?.relay ?? 0);
  metrics.cancelLagSeconds.set(lags?.cancel ?? 0);
}

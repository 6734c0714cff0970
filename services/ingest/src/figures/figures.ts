import { sql, type Database } from '@leasehold/postgres';
import { states, type State } from '../files/rules.js';
import type { ImportJobs } from '../imports/jobs/import-jobs.js';
import type { OwedJobs } from '../jobs/owed-jobs.js';
import type { JobMetrics } from '../jobs/job-metrics.js';
import type { Metrics } from './metrics.js';

const countFiles = sql(import.meta.url, 'count');

export interface FigureParts {
  readonly db: Database;
  readonly files: OwedJobs;
  readonly imports: ImportJobs;
  readonly metrics: Metrics;
}

/** Looks at the records and sets the gauges: apart from a scrape, so that a slow database never makes a scrape fail. */
export async function lookAtFigures({ db, files, imports, metrics }: FigureParts): Promise<void> {
  const counted = new Map((await db.query<{ state: State; files: bigint }>(countFiles, [])).map((row) => [row.state, Number(row.files)]));
  for (const state of states) metrics.filesByState.set({ state }, counted.get(state) ?? 0);
  await lookAtLag(files, metrics.files);
  await lookAtLag(imports, metrics.imports);
  const { count, oldestSeconds } = await imports.accepted();
  metrics.importsAccepted.set(count);
  metrics.oldestAcceptedSeconds.set(oldestSeconds);
}

async function lookAtLag(jobs: OwedJobs, metrics: JobMetrics): Promise<void> {
  const { relay, cancel } = await jobs.lag();
  metrics.relayLagSeconds.set(relay);
  metrics.cancelLagSeconds.set(cancel);
}

import type { Logger } from '@leasehold/service';
import type { JobMetrics } from '../jobs/job-metrics.js';
import type { OwedJobs } from '../jobs/owed-jobs.js';

const atMost = 200;

export interface HealParts {
  readonly jobs: OwedJobs;
  readonly metrics: JobMetrics;
  readonly logger: Logger;
  /** How long a job waits for its outcome since it was last relayed before it is sent again, in ms. */
  readonly healAfterMs: number;
  /** Wakes the relay. */
  readonly onHealed: () => void;
}

/** Makes the relay send jobs again that have been waiting for long. Returns how many. */
export async function healQueued({ jobs, metrics, logger, healAfterMs, onHealed }: HealParts): Promise<number> {
  const healed = await jobs.heal(healAfterMs, atMost);
  for (const { namespace, id } of healed) logger.info({ event: `${jobs.noun}_healed`, [jobs.noun]: `namespaces/${namespace}/${jobs.noun}s/${id}` }, 'queued for long: its job is sent again');
  metrics.healed.inc(healed.length);
  if (healed.length > 0) onHealed();
  return healed.length;
}

import type { Coordinator } from '../coordinator/coordinator.js';
import type { Outcome } from '../jobs/outcome.js';
import type { OutcomeApplier } from './apply.js';

export interface PullParts {
  readonly coordinator: Coordinator;
  readonly kind: string;
  /** The contract versions whose results are read here. */
  readonly versions: readonly number[];
  /** Names this process, as where it asks what to write. */
  readonly producer: string;
  readonly applier: OutcomeApplier;
  /** How long a poll waits at the coordinator when there is nothing, in ms; 30 s at most. */
  readonly waitMs: number;
}

const atMost = 100;

/**
 * One long poll: pulls outcomes, applies each, acknowledges what was applied or can never count. What cannot be read is not
 * acknowledged, and neither is anything when applying fails: it is handed out again.
 * @returns how many were acknowledged; more than 0 means that there may be more.
 */
export async function pullOutcomes({ coordinator, kind, versions, producer, applier, waitMs }: PullParts, signal: AbortSignal): Promise<number> {
  const outcomes = await coordinator.pull({ kind, versions, producer, max: atMost, waitMs }, signal);
  const settled: Outcome[] = [];
  try {
    for (const outcome of outcomes) if ((await applier.apply(outcome)) !== 'unreadable') settled.push(outcome);
  } finally {
    // Also when the next one failed: what was applied is done with. A lost acknowledgement is repeated for a stale outcome.
    if (settled.length > 0) await coordinator.acknowledge(settled, signal);
  }
  return settled.length;
}

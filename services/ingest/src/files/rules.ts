import type { Fence } from '../jobs/fence.js';

/**
 * The state machine of a card. PROCESSING is not here: it is shown for a QUEUED card whose job is leased right now, never stored.
 *
 * | from \ by | confirm | retry  | succeeded | failed   | cancelled | expire  | delete   | swept   |
 * | --------- | ------- | ------ | --------- | -------- | --------- | ------- | -------- | ------- |
 * | pending   | queued  |        |           |          |           | expired | deleting |         |
 * | queued    |         |        | ready     | rejected | cancelled |         | deleting |         |
 * | ready     |         |        | ready     | rejected | cancelled |         | deleting |         |
 * | rejected  |         | queued | ready     | rejected | cancelled |         | deleting |         |
 * | cancelled |         |        | ready     | rejected | cancelled |         | deleting |         |
 * | expired   |         |        |           |          |           |         | deleting |         |
 * | deleting  |         |        |           |          |           |         |          | deleted |
 * | deleted   |         |        |           |          |           |         |          |         |
 *
 * Who: confirm, retry and delete are the owner's calls; succeeded, failed and cancelled are outcomes pulled from the coordinator;
 * expire is the expiry duty; swept is the sweep. An outcome moves a final card only with a larger fence, and only for the
 * generation that the card is at: after a restore of the queue a job may run again, and of two outcomes the later event wins.
 * The same conditions stand in the statements beside this file and in ../outcomes, ../expiry and ../sweep; transitions.itest.ts
 * holds the two equal.
 */
export const states = ['pending', 'queued', 'ready', 'rejected', 'cancelled', 'expired', 'deleting', 'deleted'] as const;
export type State = (typeof states)[number];

export const causes = ['confirm', 'retry', 'succeeded', 'failed', 'cancelled', 'expire', 'delete', 'swept'] as const;
export type Cause = (typeof causes)[number];

const outcomes = { succeeded: 'ready', failed: 'rejected', cancelled: 'cancelled' } as const;
const transitions: Record<State, Partial<Record<Cause, State>>> = {
  pending: { confirm: 'queued', expire: 'expired', delete: 'deleting' },
  queued: { ...outcomes, delete: 'deleting' },
  ready: { ...outcomes, delete: 'deleting' },
  rejected: { ...outcomes, retry: 'queued', delete: 'deleting' },
  cancelled: { ...outcomes, delete: 'deleting' },
  expired: { delete: 'deleting' },
  deleting: { swept: 'deleted' },
  deleted: {},
};

/** Where `cause` moves a card, or undefined when it does not. */
export const next = (state: State, cause: Cause): State | undefined => transitions[state][cause];

/** A watcher is sent nothing after one of these. REJECTED is left only when its owner asks for it. */
export const isFinal = (state: State): boolean => state !== 'pending' && state !== 'queued' && state !== 'deleting';

/** What of a card decides whether an outcome counts. */
export interface Standing {
  readonly state: State;
  readonly generation: number;
  readonly outcomeFence: Fence;
}

/** A job's outcome, as far as it decides. */
export interface Verdict {
  readonly cause: 'succeeded' | 'failed' | 'cancelled';
  readonly generation: number;
  readonly fence: Fence;
}

/** The card after the outcome, or undefined when the outcome has lost: deleted, another generation, or not the larger fence. */
export function afterOutcome(card: Standing, verdict: Verdict): Standing | undefined {
  const state = next(card.state, verdict.cause);
  if (state === undefined || verdict.generation !== card.generation || verdict.fence <= card.outcomeFence) return undefined;
  return { state, generation: card.generation, outcomeFence: verdict.fence };
}

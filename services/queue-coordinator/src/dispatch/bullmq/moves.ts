import type { Move } from '../dispatcher.js';
import type { ProposalQueue } from './proposal-queue.js';
import { lockToken } from './record.js';

/** Moves a job's record to where its row is. Fails when the record is elsewhere, which the reconciler finds if it matters. */
export async function applyMove(queue: ProposalQueue, { enqueueId, token, to }: Move): Promise<void> {
  if (to.state === 'queued') {
    if (token === undefined) return;
    try {
      await queue.putBack(enqueueId, token, to.delayMs);
    } catch {
      // Freed by the stalled check in the middle of its run, and then put back until the lease would end: it may come earlier now.
      await queue.changeDelay(enqueueId, to.delayMs);
    }
  } else if (token === undefined) await queue.remove(enqueueId);
  else await queue.finish(enqueueId, lockToken(token), to);
}

import { randomTokens, type Proposal } from '../../leases/grant.js';
import type { ProposalQueue } from './proposal-queue.js';

/** A record that was popped, and from where. */
export interface Popped extends Proposal {
  readonly queue: ProposalQueue;
}

const popsAtOnce = 8;

/**
 * Pops up to `wanted` records, first things first. Fails only if nothing was popped: what was popped before an error is worth a grant. A record whose pop
 * was not answered is freed by the stalled check.
 */
export async function propose(queues: readonly ProposalQueue[], wanted: number): Promise<Popped[]> {
  const popped: Popped[] = [];
  try {
    const [only, ...others] = queues;
    if (only === undefined) return [];
    while (popped.length < wanted) {
      const left = wanted - popped.length;
      const more = others.length === 0 ? await pops(only, Math.min(left, popsAtOnce)) : await popFirst(queues);
      popped.push(...more.popped);
      if (more.dry) break;
    }
  } catch (error) {
    if (popped.length === 0) throw error;
  }
  return popped;
}

interface Pops {
  readonly popped: readonly Popped[];
  /** Nothing more waits. */
  readonly dry: boolean;
}

/** Sent together over one connection: answered in order. */
async function pops(queue: ProposalQueue, count: number): Promise<Pops> {
  const answers = await Promise.allSettled(randomTokens(count).map(async (token) => ({ token, enqueueId: await queue.pop(token) })));
  const popped = answers.flatMap((answer): Popped[] => (answer.status === 'fulfilled' && answer.value.enqueueId !== undefined ? [{ queue, token: answer.value.token, enqueueId: answer.value.enqueueId }] : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed !== undefined && popped.length === 0) throw failed.reason;
  return { popped, dry: popped.length < count };
}

/** One record, of the contract whose next one comes first. BullMQ orders within a contract only. */
async function popFirst(queues: readonly ProposalQueue[]): Promise<Pops> {
  const heads = await Promise.all(queues.map(async (queue) => ({ queue, head: await queue.head() })));
  // Those that show none may have a delayed record that is due, which a pop finds.
  const ordered = heads.toSorted((a, b) => comparable(a.head) - comparable(b.head) || Number((a.head?.enqueueId ?? 0n) - (b.head?.enqueueId ?? 0n)));
  for (const { queue } of ordered) {
    const one = await pops(queue, 1);
    if (one.popped.length > 0) return one;
  }
  return { popped: [], dry: true };
}

const comparable = (head: { readonly priority: number } | undefined): number => head?.priority ?? Number.MAX_SAFE_INTEGER;

import type { DiscardJobsResponse } from '@leasehold/rollout-v1';
import type { ContractWord } from '../contract-word.js';
import { counted } from '../print/words.js';
import type { Session } from '../session.js';
import { Refusal, Usage } from '../terminal.js';

export interface DiscardFlags {
  readonly reason: string;
  readonly max: number;
  readonly yes?: boolean;
  readonly validateOnly?: boolean;
}

const perCall = 1_000;

/** Discards jobs call by call until none is left, or as many as were asked for are gone. */
export async function discard(session: Session, { name, word }: ContractWord, { reason, max, yes, validateOnly }: DiscardFlags): Promise<void> {
  if (reason.trim() === '') throw new Usage('--reason must say something: it is what the audit log will say');
  const call = (maxJobs: number, dry: boolean): Promise<DiscardJobsResponse> =>
    session.services.coordinator(({ rollout }) => rollout.discardJobs({ name, reason, maxJobs, validateOnly: dry, actor: session.actor }));
  const would = await call(perCall, true);
  const live = would.discarded + would.remaining;
  const meant = live < BigInt(max) ? live : BigInt(max);
  if (validateOnly === true) return session.print({ contract: word, discarded: meant, remaining: live - meant, validateOnly: true }, () => `${session.ink.yellow('nothing was changed')}: ${counted(meant, 'job')} of ${word} would be discarded, ${live - meant} would remain`);
  if (live > 0n && yes !== true) throw new Refusal(`nothing was changed: ${counted(meant, 'job')} of ${word} would be lost to their owners; say --yes if that is meant; while ${word} is paused they only wait`, { next: [`leasehold contracts describe ${word}`] });
  let discarded = 0n;
  let remaining = live;
  while (remaining > 0n && discarded < meant) {
    const answer = await call(Number(meant - discarded < BigInt(perCall) ? meant - discarded : BigInt(perCall)), false);
    if (answer.discarded === 0n) break;
    discarded += answer.discarded;
    remaining = answer.remaining;
    session.tell(`  ${discarded} discarded, ${remaining} remain`);
  }
  session.print({ contract: word, discarded, remaining, validateOnly: false }, () => `${counted(discarded, 'job')} of ${word} discarded, ${remaining} remain`);
}

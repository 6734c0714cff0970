import type { WatchDrainResponse } from '@leasehold/rollout-v1';
import { systemClock } from '@leasehold/service';
import type { Command } from 'commander';
import { contractArgument, type ContractWord } from '../contract-word.js';
import { leftData, leftText, oldestText } from '../contracts/contract.js';
import { lengthOfTime } from '../option-values.js';
import type { Session } from '../session.js';
import { Refusal, Unreachable } from '../terminal.js';

/** After a connection was lost: another coordinator may take over meanwhile. */
const againAfterMs = 500;

/** Adds `watch drain` to the root command. */
export function addDrainCommands(root: Command, session: Session): void {
  root.command('watch').description('watches something until it is over').command('drain')
    .description('what is left of a contract version, at each change, until nothing is')
    .addArgument(contractArgument())
    .option('--timeout <time>', 'give up after so long, with exit code 1', lengthOfTime())
    .action(async (contract: ContractWord, { timeout }: { timeout?: number }) => watchDrain(session, contract, timeout));
}

async function watchDrain(session: Session, { name, word }: ContractWord, timeoutMs: number | undefined): Promise<void> {
  const timedOut = timeoutMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([session.interrupted(), timedOut]);
  let last: WatchDrainResponse | undefined;
  while (!signal.aborted) {
    try {
      await session.services.coordinator(async ({ rollout }) => {
        for await (const drain of rollout.watchDrain({ name }, { signal })) {
          last = drain;
          session.printOne({ contract: word, left: leftData(drain.left), witnesses: drain.witnesses }, () => line(word, drain));
        }
      });
    } catch (error) {
      if (!signal.aborted && !(error instanceof Unreachable && last !== undefined)) throw error;
      if (!signal.aborted && error instanceof Unreachable) session.tell(`${error.message}; asking again`);
    }
    if (last?.left?.total === 0n) {
      if (!session.json) session.tell(session.next([`leasehold gate retire ${word}`]));
      return;
    }
    // A coordinator that stops ends the stream early: the next one goes on.
    await systemClock.wait(againAfterMs, signal).catch(() => undefined);
  }
  throw new Refusal(`${timedOut.aborted ? 'not in time' : 'interrupted'}: ${last === undefined ? `nobody has said yet what is left of ${word}` : `${word}: ${leftText(last.left)} left`}`, { next: (last?.witnesses ?? []).slice(0, 1).map((job) => `leasehold explain job ${job}`) });
}

function line(word: string, { left, witnesses }: WatchDrainResponse): string {
  if (left === undefined || left.total === 0n) return `nothing is left of ${word}`;
  const [oldest] = witnesses;
  const since = oldestText(left);
  return `${word}: ${leftText(left)} left${since === '' ? '' : `, the oldest for ${since}`}${oldest === undefined ? '' : `: ${oldest}`}`;
}

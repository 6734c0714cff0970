import type { ContractSummary } from '@leasehold/rollout-v1';
import { systemClock } from '@leasehold/service';
import type { Command } from 'commander';
import { wordOfName } from '../contract-word.js';
import { contractData, leftData, oldestText, stateText } from '../contracts/contract.js';
import { timeOption } from '../option-values.js';
import { table } from '../print/table.js';
import type { Session } from '../session.js';

/** Adds `queue stats` to the root command. */
export function addQueueCommands(root: Command, session: Session): void {
  root.command('queue').description('shows what is in the queue').command('stats')
    .description('what is left of every contract version, by where it stands')
    .option('--watch', 'again and again, until Ctrl-C')
    .addOption(timeOption('--interval <time>', 'how often', '2s', { min: 10 }))
    .action(async ({ watch, interval }: { watch?: boolean; interval: number }) => {
      const ask = (): Promise<readonly ContractSummary[]> => session.services.coordinator(async ({ rollout }) => (await rollout.listContracts({ parent: 'kinds/-' })).contracts);
      if (watch !== true) {
        const found = await ask();
        return session.print(data(found), () => stats(found, session));
      }
      const signal = session.interrupted();
      while (!signal.aborted) {
        const found = await ask();
        session.printOne({ time: new Date(), contracts: data(found) }, () => `${new Date().toISOString()}\n${stats(found, session)}\n`);
        await systemClock.wait(interval, signal).catch(() => undefined);
      }
      return undefined;
    });
}

const data = (found: readonly ContractSummary[]): object[] => found.flatMap(({ contract, left, readers }) => (contract === undefined ? [] : [{ ...contractData(contract), left: leftData(left), readers }]));

function stats(found: readonly ContractSummary[], session: Session): string {
  return table(['contract', 'state', 'due', 'scheduled', 'retrying', 'leased', 'undispatched', 'outcomes', 'oldest', 'readers'], found.flatMap(({ contract, left, readers }) =>
    (contract === undefined ? [] : [[
      wordOfName(contract.name), stateText(contract, session), ...[left?.due, left?.scheduled, left?.retrying, left?.leased, left?.undispatched, left?.outcomes].map((count) => String(count ?? 0n)),
      oldestText(left), readers === 0 && (left?.total ?? 0n) > 0n ? session.ink.red('0') : String(readers),
    ]])));
}

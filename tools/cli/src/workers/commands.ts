import type { Worker, WorkerSelector } from '@leasehold/rollout-v1';
import { Argument, type Command } from 'commander';
import { parseContract, parseKind, type ContractWord } from '../contract-word.js';
import { counted } from '../print/words.js';
import type { Session } from '../session.js';
import { Refusal, Usage } from '../terminal.js';
import { strandedBy } from './stranded.js';
import { workerData, workerTable } from './worker.js';

interface OrderFlags {
  readonly build?: string;
  readonly contract?: ContractWord;
  readonly withoutContract?: ContractWord;
  readonly reason?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly validateOnly?: boolean;
}

const calls = { cordon: 'cordonWorkers', uncordon: 'uncordonWorkers', drain: 'drainWorkers' } as const;
type Order = keyof typeof calls;

/** Adds `workers list|cordon|uncordon|drain` to the root command. */
export function addWorkerCommands(root: Command, session: Session): void {
  const workers = root.command('workers').description('lists workers, and tells them to take nothing new, or to leave');
  workers
    .command('list')
    .description('workers by build, with what they read')
    .option('--kind <kind>', 'only those that read a version of this kind', parseKind, '')
    .option('--build <build>', 'only of this build', '')
    .option('--all', 'those that are gone too, as long as they are remembered')
    .action(async ({ kind, build, all }: { kind: string; build: string; all?: boolean }) => {
      const { workers: found } = await session.services.coordinator(({ rollout }) => rollout.listWorkers({ kind, build, showGone: all === true }));
      session.print(found.map((worker) => workerData(worker)), () => (found.length === 0 ? 'no workers' : workerTable(found, session)));
    });
  const order = (verb: Order, description: string): Command => workers
    .command(verb)
    .description(description)
    .addArgument(new Argument('[worker]', 'its id'))
    .option('--build <build>', 'all of this build')
    .option('--contract <kind@version>', 'all that read this version', parseContract)
    .option('--without-contract <kind@version>', 'all that read another version of the kind, and not this one', parseContract)
    .option('--reason <text>', 'for the audit log')
    .option('--validate-only', 'say who is meant, and change nothing')
    .action(async (worker: string | undefined, flags: OrderFlags) => give(session, verb, selectorOf(worker, flags), flags));
  const guarded = (command: Command): Command => command.option('--yes', 'needed when more than one is meant').option('--force', 'although a version that is present loses its last reader; needs --reason');
  guarded(order('cordon', 'they take nothing new, and finish what they hold'));
  order('uncordon', 'takes a cordon back');
  guarded(order('drain', 'they finish or hand back what they hold, and leave'));
}

function selectorOf(workerId = '', { build = '', contract, withoutContract }: OrderFlags): WorkerSelector {
  if (workerId === '' && build === '' && contract === undefined && withoutContract === undefined) {
    throw new Usage('who is meant? Name a worker, or say --build, --contract or --without-contract; all workers at once are never meant');
  }
  return { workerId, build, contract: contract?.word ?? '', withoutContract: withoutContract?.word ?? '' };
}

async function give(session: Session, verb: Order, selector: WorkerSelector, flags: OrderFlags): Promise<void> {
  const reason = flags.reason?.trim() ?? '';
  if (flags.force === true && reason === '') throw new Usage('--force needs --reason: it is what the audit log will say');
  const ask = async (validateOnly: boolean): Promise<readonly Worker[]> =>
    (await session.services.coordinator(({ rollout }) => rollout[calls[verb]]({ selector, validateOnly, actor: session.actor, reason }))).workers;
  const meant = await ask(true);
  if (meant.length === 0) throw new Refusal('no live worker is meant by that', { next: ['leasehold workers list'] });
  const stranded = verb === 'uncordon' ? [] : await findStranded(session, meant);
  if (flags.validateOnly === true) {
    session.print({ workers: meant.map((worker) => workerData(worker)), stranded, validateOnly: true }, () =>
      [`${session.ink.yellow('nothing was changed')}: ${counted(meant.length, 'worker is', 'workers are')} meant`, workerTable(meant, session), ...strandedLines(stranded)].join('\n'));
    return;
  }
  if (stranded.length > 0 && flags.force !== true) {
    throw new Refusal(['nothing was changed: nobody else reads what is present', ...strandedLines(stranded), 'start a build that reads it first, or say --force --reason'].join('\n'), { next: stranded.map(({ contract }) => `leasehold contracts describe ${contract}`) });
  }
  if (verb !== 'uncordon' && meant.length > 1 && flags.yes !== true) {
    session.tell(workerTable(meant, session));
    throw new Refusal(`nothing was changed: ${meant.length} workers are meant; say --yes if these are the ones`);
  }
  const told = await ask(false);
  session.print({ workers: told.map((worker) => workerData(worker)), stranded, validateOnly: false }, () => workerTable(told, session));
}

async function findStranded(session: Session, meant: readonly Worker[]): Promise<ReturnType<typeof strandedBy>> {
  return session.services.coordinator(async ({ rollout }) => {
    const { workers } = await rollout.listWorkers({ kind: '', build: '', showGone: false });
    const { contracts } = await rollout.listContracts({ parent: 'kinds/-' });
    return strandedBy(meant, workers, contracts);
  });
}

const strandedLines = (stranded: ReturnType<typeof strandedBy>): string[] => stranded.map(({ contract, jobs }) => `  ${contract} would lose its last reader; ${counted(jobs, 'job of it is', 'jobs of it are')} left`);

import type { Contract } from '@leasehold/rollout-v1';
import { Option, type Command } from 'commander';
import { contractArgument, type ContractWord } from '../contract-word.js';
import { contractData, contractSentence } from '../contracts/contract.js';
import { percentages, timeOption, wholeNumber } from '../option-values.js';
import type { Session } from '../session.js';
import { Usage } from '../terminal.js';
import { printPlan } from './plan.js';
import { ramp, type RampFlags } from './ramp.js';
import { printStep, stepOf, withEtag, withForce, type StepFlags } from './step.js';

/** Adds `rollout plan|open|prefer|ramp|close|retire|reopen|pause|resume` to the root command. */
export function addRolloutCommands(root: Command, session: Session): void {
  const rollout = root.command('rollout').description('takes a kind from one contract version to another, by steps that gates guard');
  rollout
    .command('plan')
    .description('the steps that remain from one version to another, forwards or back, and what their gates say now')
    .addArgument(contractArgument('from', 'for example image@1'))
    .addArgument(contractArgument('to', 'for example image@2'))
    .action(async (from: ContractWord, to: ContractWord) => {
      if (from.kind !== to.kind || from.version === to.version) throw new Usage('both must be versions of one kind, and not the same one');
      await printPlan(session, from, to);
    });
  const steps = session.services;
  const step = (verb: string, description: string): Command => withForce(withEtag(rollout.command(verb).description(description).addArgument(contractArgument())));
  step('open', 'lets producers write an announced version')
    .option('--min-workers <n>', 'so many live workers must read it', wholeNumber(1, 100_000), 1)
    .action(async ({ name, word }: ContractWord, flags: StepFlags & { minWorkers: number }) => {
      const request = { name, step: stepOf(flags, session), minWorkers: flags.minWorkers };
      printStep(session, `open ${word}`, await steps.coordinator(({ rollout: r }) => r.openContract(request)), flags);
    });
  step('prefer', 'says which share of new jobs is written in the version; the rest stays with the other')
    .requiredOption('--percent <p>', '0 to 100', wholeNumber(0, 100))
    .action(async ({ name, word }: ContractWord, flags: StepFlags & { percent: number }) => {
      const request = { name, step: stepOf(flags, session), percent: flags.percent };
      printStep(session, `prefer ${word} at ${flags.percent} %`, await steps.coordinator(({ rollout: r }) => r.setPreferredContract(request)), flags);
    });
  withEtag(rollout.command('ramp').description('prefers the version at one percentage after the other, waiting for each gate; ends when somebody else changes the contract').addArgument(contractArgument()))
    .addOption(new Option('--percent <p,...>', 'only rising or only falling').argParser(percentages).default([10, 50, 100], '10,50,100'))
    .addOption(timeOption('--hold <time>', 'stay at each percentage for so long', '0s'))
    .addOption(timeOption('--timeout <time>', 'how long to wait for each gate', '10m'))
    .addOption(timeOption('--interval <time>', 'how often to ask', '2s', { min: 10 }))
    .action(async (contract: ContractWord, flags: RampFlags) => ramp(session, contract, flags));
  step('close', 'ends the writing of the version: once it is done, no job of it can appear')
    .action(async ({ name, word }: ContractWord, flags: StepFlags) => {
      const request = { name, step: stepOf(flags, session) };
      printStep(session, `close ${word}`, await steps.coordinator(({ rollout: r }) => r.closeContract(request)), flags);
    });
  step('retire', 'lets readers drop the version, for ever')
    .action(async ({ name, word }: ContractWord, flags: StepFlags) => {
      const request = { name, step: stepOf(flags, session) };
      printStep(session, `retire ${word}`, await steps.coordinator(({ rollout: r }) => r.retireContract(request)), flags);
    });
  step('reopen', 'the way back from closed')
    .action(async ({ name, word }: ContractWord, flags: StepFlags) => {
      const request = { name, step: stepOf(flags, session) };
      printStep(session, `reopen ${word}`, await steps.coordinator(({ rollout: r }) => r.reopenContract(request)), flags);
    });
  withEtag(rollout.command('pause').description('grants no job of the version until it is resumed; what runs goes on, what waits spends no attempt').addArgument(contractArgument()))
    .requiredOption('--reason <text>', 'for the audit log')
    .action(async ({ name, word }: ContractWord, { reason, ...flags }: StepFlags & { reason: string }) => {
      const { contract } = await steps.coordinator(({ rollout: r }) => r.pauseContract({ name, step: stepOf(flags, session), reason }));
      if (contract !== undefined) session.print({ ...contractData(contract), validateOnly: flags.validateOnly === true }, () => `${contractSentence(contract, session)}\n${session.next(afterPause(word, contract))}`);
    });
  withEtag(rollout.command('resume').description('lets the version be granted again').addArgument(contractArgument()))
    .action(async ({ name }: ContractWord, flags: StepFlags) => {
      const { contract } = await steps.coordinator(({ rollout: r }) => r.resumeContract({ name, step: stepOf(flags, session) }));
      if (contract !== undefined) session.print({ ...contractData(contract), validateOnly: flags.validateOnly === true }, () => contractSentence(contract, session));
    });
}

/** New jobs go on to come in the version, and wait: on a bad day the next thing is to send them elsewhere. */
const afterPause = (word: string, { sharePercent }: Contract): string[] =>
  [...(sharePercent > 0 ? [`leasehold rollout prefer ${word} --percent 0`] : []), `leasehold contracts describe ${word}`, `leasehold rollout resume ${word}`];

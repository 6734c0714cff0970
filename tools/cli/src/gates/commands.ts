import type { Command } from 'commander';
import { contractArgument, type ContractWord } from '../contract-word.js';
import { exitCodes } from '../exit-codes.js';
import { timeOption, wholeNumber } from '../option-values.js';
import type { Session } from '../session.js';
import { Unreachable } from '../terminal.js';
import { until } from '../waiting.js';
import { readCandidate } from './candidate.js';
import { askGate, exitCodeOf, gateData, gateLine, gateText, passes, type Question } from './gate.js';

interface WatchFlags {
  readonly watch?: boolean;
  readonly timeout: number;
  readonly interval: number;
}

/** Adds `gate open|prefer|close|retire|build` to the root command. */
export function addGateCommands(root: Command, session: Session): void {
  const gate = root.command('gate').description('asks whether a step may be taken, and changes nothing; exit code 0 pass, 1 fail, 2 unknown or nobody answers');
  withWatch(gate.command('open').description('may producers write the version?').addArgument(contractArgument()))
    .option('--min-workers <n>', 'so many live workers must read it', wholeNumber(1, 100_000), 1)
    .action(async ({ name, word }: ContractWord, flags: WatchFlags & { minWorkers: number }) =>
      answer(session, flags, { gate: { $case: 'open', value: { name, minWorkers: flags.minWorkers } }, title: `open ${word}` }));
  withWatch(gate.command('prefer').description('may so many percent of new jobs be written in the version?').addArgument(contractArgument()))
    .requiredOption('--percent <p>', '0 to 100', wholeNumber(0, 100))
    .action(async ({ name, word }: ContractWord, flags: WatchFlags & { percent: number }) =>
      answer(session, flags, { gate: { $case: 'prefer', value: { name, percent: flags.percent } }, title: `prefer ${word} at ${flags.percent} %` }));
  withWatch(gate.command('close').description('may producers stop to write the version for good?').addArgument(contractArgument()))
    .action(async ({ name, word }: ContractWord, flags: WatchFlags) => answer(session, flags, { gate: { $case: 'close', value: { name } }, title: `close ${word}` }));
  withWatch(gate.command('retire').description('is nothing of the version left?').addArgument(contractArgument()))
    .action(async ({ name, word }: ContractWord, flags: WatchFlags) => answer(session, flags, { gate: { $case: 'retire', value: { name } }, title: `retire ${word}` }));
  withWatch(gate.command('build').description('may a build come in, or take another\'s place? the same gate serves a rollback'))
    .requiredOption('--candidate <file>', 'the leasehold-build.json that the build emitted')
    .option('--replaces <build>', 'the build whose place it takes; without it, it comes in beside the others', '')
    .action(async (flags: WatchFlags & { candidate: string; replaces: string }) => {
      const candidate = readCandidate(flags.candidate);
      const place = flags.replaces === '' ? 'beside the others' : `in place of ${flags.replaces}`;
      await answer(session, flags, { gate: { $case: 'build', value: { candidate, replaces: flags.replaces } }, title: `build ${candidate.build} ${place}` });
      if (flags.replaces !== '' && session.exitCode === exitCodes.done) await noteUnknownBuild(session, flags.replaces);
    });
}

/** A name that nobody has takes nobody's place: then the gate passed for the candidate beside all others, which may not be what was meant. */
async function noteUnknownBuild(session: Session, build: string): Promise<void> {
  const { workers } = await session.services.coordinator(({ rollout }) => rollout.listWorkers({ kind: '', build, showGone: false }));
  if (workers.length === 0) session.tell(`${session.ink.yellow('note')}  no live worker runs ${build}: is that its name?\n${session.next(['leasehold workers list'])}`);
}

const withWatch = (command: Command): Command => command
  .option('--watch', 'ask again until it passes')
  .addOption(timeOption('--timeout <time>', 'how long to go on asking', '10m'))
  .addOption(timeOption('--interval <time>', 'how often to ask', '2s', { min: 10 }));

async function answer(session: Session, { watch, timeout, interval }: WatchFlags, question: Question): Promise<void> {
  const gate = watch === true
    ? await until({ timeoutMs: timeout, everyMs: interval, signal: session.interrupted() }, () => askGate(session, question), passes, changes(session, question.title))
    : await askGate(session, question);
  session.print({ gate: question.gate.$case, question: question.title, ...gateData(gate) }, () => gateText(question.title, gate, session));
  session.exitCode = exitCodeOf(gate);
}

/** Tells of an answer when it is another than before. */
export function changes(session: Session, title: string): (answer: Parameters<typeof gateLine>[0] | Unreachable) => void {
  let before = '';
  return (answer) => {
    const line = answer instanceof Unreachable ? answer.message : gateLine(answer);
    if (line !== before) session.tell(`${session.ink.dim('waiting')}  ${title}: ${line}`);
    before = line;
  };
}

import { JobState } from '@leasehold/queue-v1';
import { Argument, Option, type Command } from 'commander';
import { contractArgument, type ContractWord } from '../contract-word.js';
import { wholeNumber } from '../option-values.js';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';
import { discard, type DiscardFlags } from './discard.js';
import { jobData, jobProperties, jobTable, stateOf, stateWords, type StateWord } from './job.js';

export const jobArgument = (): Argument => new Argument('<job>', 'namespaces/{namespace}/kinds/{kind}/jobs/{job}');

/** Adds `jobs list|describe|cancel|discard` to the root command. */
export function addJobCommands(root: Command, session: Session): void {
  const jobs = root.command('jobs').description('lists, shows, cancels and discards jobs');
  jobs
    .command('list')
    .description('jobs of a kind, newest first')
    .option('--namespace <name>', 'only of this namespace', '-')
    .option('--kind <kind>', 'of this kind', 'image')
    .addOption(new Option('--state <state...>', 'only in these states').choices(stateWords))
    .option('--limit <n>', 'at most so many, 1 to 500', wholeNumber(1, 500), 50)
    .action(async (o: { namespace: string; kind: string; state?: StateWord[]; limit: number }) => {
      const request = { parent: `namespaces/${o.namespace}/kinds/${o.kind}`, pageSize: o.limit, pageToken: '', states: (o.state ?? []).map((word) => stateOf[word]) };
      const page = await session.services.coordinator(({ queue }) => queue.listJobs(request));
      session.print(page.jobs.map((job) => jobData(job)), () => jobTable(page.jobs, session));
    });
  jobs
    .command('describe')
    .description('everything that the coordinator knows of a job; `explain job` says what happened to it')
    .addArgument(jobArgument())
    .action(async (name: string) => {
      const { job } = await session.services.coordinator(({ queue }) => queue.getJob({ name }));
      if (job !== undefined) session.print(jobData(job), () => jobProperties(job, session));
    });
  jobs
    .command('cancel')
    .description('ends a job that is not finished, whoever works on it')
    .addArgument(jobArgument())
    .action(async (name: string) => {
      const { job, cancelled } = await session.services.coordinator(async ({ queue }) => {
        const { job: before } = await queue.getJob({ name });
        return queue.cancelJob({ name, enqueueId: before?.enqueueId ?? 0n });
      });
      if (job !== undefined) session.print({ ...jobData(job), cancelled }, () => (cancelled ? `${name} is cancelled` : `${name} was ${wordOf(JobState, job.state)} before; it keeps its outcome`));
    });
  jobs
    .command('discard')
    .description('ends the live jobs of a contract version as cancelled; their producers hear of it. There is no way back: rollout pause lets them wait instead')
    .addArgument(contractArgument())
    .requiredOption('--reason <text>', 'for the audit log and the jobs\' timelines')
    .option('--max <n>', 'at most so many', wholeNumber(1, 1_000_000), 1_000_000)
    .option('--yes', 'needed to discard')
    .option('--validate-only', 'count, and discard nothing')
    .action(async (contract: ContractWord, flags: DiscardFlags) => discard(session, contract, flags));
}

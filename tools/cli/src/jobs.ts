import { Job, JobState } from '@leasehold/queue-v1';
import Table from 'cli-table3';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import picocolors from 'picocolors';
import type { Connect } from './program.js';
import type { Terminal } from './terminal.js';

const stateWords = ['queued', 'leased', 'succeeded', 'failed', 'cancelled'] as const;
type StateWord = (typeof stateWords)[number];
const states: Readonly<Record<StateWord, JobState>> = { queued: JobState.QUEUED, leased: JobState.LEASED, succeeded: JobState.SUCCEEDED, failed: JobState.FAILED, cancelled: JobState.CANCELLED };
const wordOf = (state: JobState): string => stateWords.find((word) => states[word] === state) ?? 'unknown';

const jobArgument = (): Argument => new Argument('<job>', 'namespaces/{namespace}/kinds/{kind}/jobs/{job}');

/** Adds `jobs list|describe|cancel` to the root command. */
export function addJobCommands(root: Command, connect: Connect, terminal: Terminal): void {
  const json = (): boolean => root.opts<{ json?: boolean }>().json === true;
  const jobs = root.command('jobs').description('lists, shows and cancels jobs');
  jobs
    .command('list')
    .description('jobs of a kind, newest first')
    .option('--namespace <name>', 'only of this namespace', '-')
    .option('--kind <kind>', 'of this kind', 'image')
    .addOption(new Option('--state <state...>', 'only in these states').choices(stateWords))
    .option('--limit <n>', 'at most so many, 1 to 500', limitOf, 50)
    .action(async (o: { namespace: string; kind: string; state?: StateWord[]; limit: number }) => {
      const request = { parent: `namespaces/${o.namespace}/kinds/${o.kind}`, pageSize: o.limit, pageToken: '', states: (o.state ?? []).map((word) => states[word]) };
      const page = await connect().listJobs(request);
      terminal.out(json() ? JSON.stringify(page.jobs.map((job) => Job.toJSON(job)), null, 2) : list(page.jobs, terminal));
    });
  jobs
    .command('describe')
    .description('everything that the coordinator knows of a job')
    .addArgument(jobArgument())
    .action(async (name: string) => {
      const { job } = await connect().getJob({ name });
      if (job !== undefined) terminal.out(json() ? JSON.stringify(Job.toJSON(job), null, 2) : describe(job, terminal));
    });
  jobs
    .command('cancel')
    .description('ends a job that is not finished, whoever works on it')
    .addArgument(jobArgument())
    .action(async (name: string) => {
      const client = connect();
      const { job: before } = await client.getJob({ name });
      const { job, cancelled } = await client.cancelJob({ name, enqueueId: before?.enqueueId ?? 0n });
      if (job === undefined) return;
      if (json()) terminal.out(JSON.stringify(Job.toJSON(job), null, 2));
      else terminal.out(cancelled ? `${name} is cancelled` : `${name} had ${wordOf(job.state)} before; it keeps its outcome`);
    });
}

function limitOf(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 500) throw new InvalidArgumentError('1 to 500 is allowed.');
  return value;
}

function paint(state: JobState, terminal: Terminal): string {
  const colours = picocolors.createColors(terminal.colour);
  const word = wordOf(state);
  switch (state) {
    case JobState.SUCCEEDED:
      return colours.green(word);
    case JobState.FAILED:
      return colours.red(word);
    case JobState.LEASED:
      return colours.cyan(word);
    default:
      return word;
  }
}

const plain = { head: [], border: [] };

function list(jobs: readonly Job[], terminal: Terminal): string {
  if (jobs.length === 0) return 'no jobs';
  const table = new Table({ head: ['job', 'state', 'contract', 'attempt', 'fence', 'enqueued', 'reason'], style: plain });
  for (const job of jobs) {
    const kind = job.name.split('/')[3] ?? '';
    table.push([job.name, paint(job.state, terminal), `${kind}@${job.contractVersion}`, `${job.attempt}/${job.maxAttempts}`, String(job.fence), job.enqueueTime?.toISOString() ?? '', job.reason || job.lastReason]);
  }
  return table.toString();
}

function describe(job: Job, terminal: Terminal): string {
  const at = (time: Date | undefined): string => time?.toISOString() ?? '';
  const rows: readonly (readonly [string, string])[] = [
    ['job', job.name],
    ['state', paint(job.state, terminal)],
    ['contract version', String(job.contractVersion)],
    ['priority', String(job.priority)],
    ['enqueue id', String(job.enqueueId)],
    ['fence', String(job.fence)],
    ['attempt', `${job.attempt} of ${job.maxAttempts}`],
    ['enqueued', at(job.enqueueTime)],
    ['due', at(job.availableTime)],
    ['finished', at(job.finishTime)],
    ['pruned after', at(job.pruneTime)],
    ['worker', job.workerId === '' ? '' : `${job.workerId} (${job.build})`],
    ['progress', job.progress === undefined ? '' : `${job.progress.percent} % ${job.progress.stage}`],
    ['reason', job.reason],
    ['last failure', job.lastReason],
  ];
  return rows.filter(([, value]) => value !== '').map(([label, value]) => `${label.padEnd(18)}${value}`).join('\n');
}

import { FileState, ImportRejectionReason, ImportState, RejectionReason } from '@leasehold/ingest-v1';
import { Fault, status } from '@leasehold/rpc';
import type { Command } from 'commander';
import { jobArgument } from '../jobs/commands.js';
import { wordOf } from '../print/words.js';
import { fileData, importData } from '../resources/commands.js';
import { fullName, jobOf } from '../resources/resource-name.js';
import type { Session } from '../session.js';
import { Unreachable } from '../terminal.js';
import { explainedData, timeline, type Explained } from './timeline.js';

/** How many generations of a resource are told of, the newest ones. */
const generations = 5;

/** Adds `explain job|file|import` to the root command. */
export function addExplainCommands(root: Command, session: Session): void {
  const explain = root.command('explain').description('what happened to something, and why it is where it is');
  explain.command('job').description('one job\'s timeline').addArgument(jobArgument()).action(async (job: string) => {
    const explained = { job, explanation: await session.services.coordinator(({ rollout }) => rollout.explainJob({ name: job })) };
    session.print(explainedData(explained), () => timeline(explained, session));
  });
  const resource = (what: 'file' | 'import', of: string): Command => explain.command(what).description(`${of}, and the timeline of its jobs`)
    .argument('<name>', `namespaces/{namespace}/${what}s/{${what}}, or {${what}}`).option('--namespace <name>', 'of a name in short', 'default');
  resource('file', 'a photo\'s card').action(async (text: string, { namespace }: { namespace: string }) => {
    const name = fullName(text, { namespace, collection: 'files' });
    const { file } = await session.services.ingest(({ files }) => files.getFile({ name }));
    if (file === undefined) return;
    const rejection = file.rejection && `${wordOf(RejectionReason, file.rejection.reason)}: ${file.rejection.explanation}`;
    const made = file.rendition && `made under fence ${file.rendition.fence}`;
    await withJobs(session, name, 'image', file.generation, (jobs) => session.print({ file: fileData(file), jobs: jobs.map((job) => explainedData(job)) },
      () => story(name, wordOf(FileState, file.state), file.generation, rejection ?? made, jobs, session, retryOf(file.state === FileState.REJECTED, 'files', name))));
  });
  resource('import', 'a shipment\'s import').action(async (text: string, { namespace }: { namespace: string }) => {
    const name = fullName(text, { namespace, collection: 'imports' });
    const { import: taken } = await session.services.ingest(({ imports }) => imports.getImport({ name }));
    if (taken === undefined) return;
    const rejection = taken.rejection && `${wordOf(ImportRejectionReason, taken.rejection.reason)}: ${taken.rejection.explanation}`;
    const applied = taken.result && `${taken.result.rows} rows applied at ${taken.result.applyTime?.toISOString() ?? 'an unknown time'}`;
    await withJobs(session, name, 'import', taken.generation, (jobs) => session.print({ import: importData(taken), jobs: jobs.map((job) => explainedData(job)) },
      () => story(name, wordOf(ImportState, taken.state), taken.generation, rejection ?? applied, jobs, session, retryOf(taken.state === ImportState.REJECTED, 'imports', name))));
  });
}

const retryOf = (rejected: boolean, collection: string, name: string): string[] => (rejected ? [`leasehold ${collection} retry ${name}`] : []);

/** The resource's own state is worth telling when no coordinator answers, too. @throws Unreachable after that */
async function withJobs(session: Session, name: string, kind: string, generation: number, print: (jobs: readonly Explained[]) => void): Promise<void> {
  const jobs = await explainJobs(session, name, kind, generation).catch((error: unknown) => {
    if (error instanceof Unreachable) return error;
    throw error;
  });
  print(jobs instanceof Unreachable ? [] : jobs);
  if (jobs instanceof Unreachable) throw jobs;
}

/** The jobs of the newest generations, oldest first. One that has been pruned has nothing left to tell. */
async function explainJobs(session: Session, name: string, kind: string, generation: number): Promise<Explained[]> {
  const first = Math.max(1, generation - generations + 1);
  const jobs = Array.from({ length: generation === 0 ? 0 : generation - first + 1 }, (_, index) => jobOf(name, kind, first + index));
  const explained: Explained[] = [];
  for (const job of jobs) {
    const explanation = await session.services.coordinator(({ rollout }) => rollout.explainJob({ name: job })).catch((error: unknown) => {
      if (error instanceof Fault && error.code === status.NOT_FOUND) return undefined;
      throw error;
    });
    explained.push({ job, explanation });
  }
  return explained;
}

function story(name: string, state: string, generation: number, more: string | undefined, jobs: readonly Explained[], session: Session, next: readonly string[]): string {
  const title = `${name} is ${session.ink.bold(state)}${generation === 0 ? ', and was never handed over' : `, generation ${generation}`}${more === undefined ? '' : `\n  ${more}`}`;
  return [title, ...jobs.map((job) => timeline(job, session)), session.next(next)].filter((part) => part !== '').join('\n');
}

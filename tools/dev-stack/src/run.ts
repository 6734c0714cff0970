import { availableParallelism } from 'node:os';
import { FilesClient } from '@leasehold/client';
import { addresses } from './addresses.js';
import type { StackCommand } from './command-line.js';
import { fullDisk } from './data/folder.js';
import { faultLine } from './fault-line.js';
import { showFailover } from './failover/failover.js';
import { Interrupted, orAbort } from './interrupt.js';
import { labelled } from './photos/labels.js';
import { LiveView } from './photos/live-view.js';
import type { Photo, PhotoResult } from './photos/photo.js';
import { runPhotoJob } from './photos/photo-job.js';
import { PlainView } from './photos/plain-view.js';
import { allReady, resultTable, summary } from './photos/report.js';
import { shipmentStory } from './shipment/shipment-story.js';
import { sampleFolder } from './samples/sample-folder.js';
import { shownPath } from './shown-path.js';
import { startStack, type Stack } from './stack.js';
import { seconds, type Terminal } from './terminal.js';

/** Interrupted before everything was done, as shells tell it: 128 + SIGINT. */
const interruptedCode = 130;

/** Everything that the command asks for. Never rejects; when it resolves, nothing runs any more. Resolves with the exit code. */
export async function run(command: StackCommand, terminal: Terminal, interrupt: AbortSignal): Promise<number> {
  let stack: Stack | undefined;
  let code = interruptedCode;
  try {
    stack = await start(command, terminal, interrupt);
    code = await work(stack, command, terminal, AbortSignal.any([interrupt, stack.broken]));
  } catch (thrown) {
    // What a wait throws when it is given up says nothing; the reason why it was given up does.
    const error: unknown = interrupt.aborted ? interrupt.reason : stack?.broken.aborted === true ? stack.broken.reason : thrown;
    if (!(error instanceof Interrupted)) {
      terminal.failure((await fullDisk(command.data)) ?? faultLine(error));
      code = 1;
    }
  }
  // Behind the ^C that terminals show.
  if (interrupt.aborted && terminal.live !== undefined) terminal.line();
  if (stack !== undefined) await stop(stack, terminal);
  else if (code === interruptedCode) terminal.line('Stopped.');
  return code;
}

async function start({ data, workers, coordinators, s3, redis }: StackCommand, terminal: Terminal, signal: AbortSignal): Promise<Stack> {
  const { colours } = terminal;
  terminal.line(`${colours.bold('Leasehold')} starts on this machine; data in ${shownPath(data)}${s3 === undefined ? '' : ', pictures in the S3 bucket'}`);
  return startStack({
    data, workers, coordinators, s3, redis, signal,
    onUp: ({ name, where, ms }) => terminal.line(`  ${name.padEnd(20)}  ${where.padEnd(38)}  ${colours.dim(seconds(ms))}`),
    onNote: (text) => terminal.line(`  ${colours.yellow('note:')} ${text}`),
  });
}

async function work(stack: Stack, command: StackCommand, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const client = new FilesClient({ address: stack.ingest.grpc ?? '' });
  try {
    const results = await photos(stack, client, command, terminal, signal);
    const applied = await shipment(stack, terminal, signal);
    if (command.failover) await failover({ stack, client, results, terminal, signal });
    if (!command.exit) await stayUp(stack, command, terminal, signal);
    return allReady(results) && applied ? 0 : 1;
  } finally {
    client.close();
  }
}

async function photos(stack: Stack, client: FilesClient, command: StackCommand, terminal: Terminal, signal: AbortSignal): Promise<PhotoResult[]> {
  const list = labelled(command.photos.length > 0 ? command.photos : await sampled(stack, terminal, signal));
  terminal.line();
  terminal.line(terminal.colours.bold(list.length === 1 ? '1 photo' : `${list.length} photos`));
  const concurrency = Math.max(4, 2 * availableParallelism());
  const view = terminal.live === undefined ? new PlainView(terminal, list) : new LiveView(terminal.live, terminal.colours, list, concurrency);
  const startedAt = performance.now();
  const results = await runPhotoJob({ client, photos: list, results: stack.folder.results, concurrency, view, signal }).finally(() => view.close());
  terminal.line();
  terminal.line(resultTable(results, shownPath(stack.folder.results), terminal.colours));
  terminal.line();
  const line = summary(results, performance.now() - startedAt);
  terminal.line(allReady(results) ? terminal.colours.green(line) : terminal.colours.red(line));
  const disk = allReady(results) ? undefined : await fullDisk(stack.folder.root);
  if (disk !== undefined) terminal.failure(disk);
  return results;
}

async function shipment(stack: Stack, terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  terminal.line();
  terminal.line(terminal.colours.bold('1 shipment'));
  return shipmentStory({ ingest: stack.ingest.grpc ?? '', samples: stack.folder.samples, dispatcher: shownDispatcher(stack), terminal, signal, now: new Date() });
}

const shownDispatcher = ({ dispatcher, redis }: Stack): string => (dispatcher === 'bullmq' && redis !== undefined ? `BullMQ on Redis ${new URL(redis.url).host}` : dispatcher === 'postgres' ? 'PostgreSQL, as there is no Redis' : dispatcher);

async function sampled({ folder }: Stack, terminal: Terminal, signal: AbortSignal): Promise<string[]> {
  const startedAt = performance.now();
  const paths = await sampleFolder(folder.samples, signal, () => terminal.line(`  ${terminal.colours.dim('making sample photos, once ...')}`));
  const ms = performance.now() - startedAt;
  terminal.line(`  ${'sample photos'.padEnd(20)}  ${shownPath(folder.samples).padEnd(38)}  ${terminal.colours.dim(seconds(ms))}`);
  return paths;
}

async function failover(o: { stack: Stack; client: FilesClient; results: readonly PhotoResult[]; terminal: Terminal; signal: AbortSignal }): Promise<void> {
  const made = o.results.find(({ end }) => end.ready)?.photo;
  const photo = (made satisfies Photo | undefined)?.path ?? (await sampleFolder(o.stack.folder.samples, o.signal))[0];
  if (photo === undefined) throw new Error('there is no sample photo');
  o.terminal.line();
  o.terminal.line(o.terminal.colours.bold('Failover: a worker freezes in mid-job, another one takes over, the first one wakes up'));
  await showFailover({ ...o, photo });
  o.terminal.line();
  o.terminal.line(o.terminal.colours.green('The late worker was refused; served is what the other one made.'));
}

async function stayUp(stack: Stack, command: StackCommand, terminal: Terminal, signal: AbortSignal): Promise<void> {
  terminal.line();
  if (command.failover) {
    await stack.startWorkers();
    terminal.line();
  }
  terminal.line(addresses(stack, terminal.colours));
  terminal.line();
  terminal.line(`${terminal.colours.bold('Leasehold runs.')} Ctrl-C stops it.`);
  // Ctrl-C is how this is meant to end.
  await orAbort(new Promise<never>(() => undefined), signal).catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error;
  });
}

async function stop(stack: Stack, terminal: Terminal): Promise<void> {
  const startedAt = performance.now();
  await stack.stop();
  terminal.line(`Stopped workers, ingest, coordinators${stack.redis === undefined ? '' : ', Redis'} and PostgreSQL in ${seconds(performance.now() - startedAt)}`);
}

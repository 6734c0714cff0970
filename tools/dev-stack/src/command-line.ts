import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { noRedis } from './dispatch/no-redis.js';

export interface StackCommand {
  /** Absolute paths; none: the sample photos. */
  readonly photos: readonly string[];
  /** End after the job instead of staying up. */
  readonly exit: boolean;
  readonly failover: boolean;
  readonly workers: number;
  readonly coordinators: number;
  /** Absolute. */
  readonly data: string;
  /** URL of the bucket that pictures are kept in; undefined: in the data folder. */
  readonly s3: string | undefined;
  /** URL of the Redis that dispatches imports, or `none`; undefined: one that the stack starts, if this machine has it. */
  readonly redis: string | undefined;
}

const description = 'Starts PostgreSQL and every Leasehold service on this machine, makes small WebP pictures of photos, imports a sample shipment, shows what became of each, and stays up until Ctrl-C.';

const examples = `
Examples:
  npm start                            with sample photos that it makes itself
  npm start -- ~/photos/*.jpg          with photos of your own
  npm start -- --failover --exit       also freezes a worker in mid-job and shows that it cannot do harm`;

/**
 * @param o.folder what relative paths on the command line are relative to
 * @param o.data the data folder when none is named
 * @throws CommanderError for a wrong command line (exitCode 1) and for --help (exitCode 0); its text has been printed
 */
export function parseCommandLine(args: readonly string[], o: { readonly folder: string; readonly data: string; readonly print?: (text: string) => void }): StackCommand {
  const command = new Command('npm start --')
    .description(description)
    .addArgument(new Argument('[photos...]', 'pictures to process: JPEG, PNG, WebP, GIF, TIFF or AVIF'))
    .option('--exit', 'end after the job; exit code 1 unless every photo became READY and the shipment was applied once')
    .option('--failover', 'then freeze a worker in mid-job, and show how the coordinator refuses it afterwards')
    .addOption(new Option('--workers <number>', 'image workers, each a process').argParser(between(1, 8)).default(1))
    .addOption(new Option('--coordinators <number>', 'queue coordinators, each a process').argParser(between(1, 4)).default(1))
    .addOption(new Option('--data <folder>', 'where everything is kept between runs (default: .leasehold in the clone)'))
    .addOption(new Option('--s3 <url>', 'keep pictures in an S3 bucket of the stack\'s own, https://host/bucket; its keys are in LEASEHOLD_S3_ACCESS_KEY_ID and LEASEHOLD_S3_SECRET_ACCESS_KEY'))
    .addOption(new Option('--redis <url>', 'let BullMQ on this Redis dispatch imports, redis://host:port, or none (default: a Redis of the stack\'s own, if redis-server is on PATH)').argParser(redisUrl))
    .helpOption('-h, --help', 'show this')
    .addHelpText('after', examples)
    .exitOverride();
  if (o.print !== undefined) command.configureOutput({ writeOut: o.print, writeErr: o.print });
  command.parse(args, { from: 'user' });
  const { exit = false, failover = false, workers, coordinators, data, s3, redis } = command.opts<{ exit?: true; failover?: true; workers: number; coordinators: number; data?: string; s3?: string; redis?: string }>();
  return { photos: command.args.map((path) => resolve(o.folder, path)), exit, failover, workers, coordinators, data: data === undefined ? o.data : resolve(o.folder, data), s3, redis };
}

function redisUrl(text: string): string {
  if (text !== noRedis && !(URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol))) throw new InvalidArgumentError('redis://host:port, rediss://host:port or none.');
  return text;
}

const between = (least: number, most: number) => (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) throw new InvalidArgumentError(`A whole number from ${least} to ${most}.`);
  return value;
};

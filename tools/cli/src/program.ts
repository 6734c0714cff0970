import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, Fault, status, type ClientOf } from '@leasehold/rpc';
import { Command, CommanderError, Option } from 'commander';
import { addJobCommands } from './jobs.js';

/** 0 done; 1 the system refused; 2 unreachable or unknown; 64 the command line is wrong (EX_USAGE of sysexits.h). */
export const exitCodes = { done: 0, refused: 1, unreachable: 2, usage: 64 } as const;

/** What a run reads and where it writes. */
export interface Terminal {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** One or more lines for standard output, and for standard error. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal that shows colour. */
  readonly colour: boolean;
}

/** How commands reach the coordinator. */
export type Connect = () => ClientOf<typeof QueueServiceService>;

const defaultCoordinators = '127.0.0.1:7400';

/** Runs one command line; answers the exit code. */
export async function program(terminal: Terminal): Promise<number> {
  const open: ClientOf<typeof QueueServiceService>[] = [];
  const root = new Command('leasehold')
    .description('Looks at and acts on a running Leasehold')
    .addOption(new Option('--coordinators <host:port,...>', 'queue coordinators').env('LEASEHOLD_COORDINATORS').default(defaultCoordinators))
    .option('--json', 'print JSON for programs instead of tables')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: (text) => terminal.err(text.trimEnd()) });
  const connect: Connect = () => {
    const { coordinators } = root.opts<{ coordinators: string }>();
    const client = createClient(QueueServiceService, coordinators.split(',').map((address) => address.trim()), { defaultTimeoutMs: 5_000, idempotent: ['getJob', 'listJobs', 'cancelJob'] });
    open.push(client);
    return client;
  };
  addJobCommands(root, connect, terminal);
  try {
    await root.parseAsync(terminal.args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return report(error, terminal);
  } finally {
    for (const client of open) client.close();
  }
}

function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof Fault)) throw error;
  const away = error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED;
  terminal.err(away ? `no coordinator answers: start one, or name it with --coordinators or LEASEHOLD_COORDINATORS` : `${error.reason}: ${error.message}`);
  return away ? exitCodes.unreachable : exitCodes.refused;
}

import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient, Fault, status, type ClientOf } from '@leasehold/rpc';
import { Certificates, ConfigError, parseConfig, tlsFilesOf, tlsVariables } from '@leasehold/service';
import { Command, CommanderError, Option } from 'commander';
import { addCertsCommand } from './certs.js';
import { addDumpCommands } from './dump/commands.js';
import { addJobCommands } from './jobs.js';
import { Refusal, type Terminal } from './terminal.js';

/** 0 done; 1 the system refused; 2 unreachable or unknown; 64 the command line is wrong (EX_USAGE of sysexits.h). */
export const exitCodes = { done: 0, refused: 1, unreachable: 2, usage: 64 } as const;

/** How commands reach the coordinator. */
export type Connect = () => ClientOf<typeof QueueServiceService>;

const defaultCoordinators = '127.0.0.1:7400';

/** Runs one command line; answers the exit code. */
export async function program(terminal: Terminal): Promise<number> {
  const open: { close(): void }[] = [];
  const root = new Command('leasehold')
    .description('Looks at and acts on a running Leasehold, dumps and restores its databases, and makes certificates for development')
    .addOption(new Option('--coordinators <host:port,...>', 'queue coordinators').env('LEASEHOLD_COORDINATORS').default(defaultCoordinators))
    .option('--json', 'print JSON for programs instead of tables')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: (text) => terminal.err(text.trimEnd()) });
  const connect: Connect = () => {
    const { coordinators } = root.opts<{ coordinators: string }>();
    const certificates = certificatesOf(terminal.env);
    const client = createClient(QueueServiceService, coordinators.split(',').map((address) => address.trim()), {
      defaultTimeoutMs: 5_000, idempotent: ['getJob', 'listJobs', 'cancelJob'], tls: certificates && { certificates, server: 'coordinator' },
    });
    open.push(client, { close: () => void certificates?.stop() });
    return client;
  };
  addJobCommands(root, connect, terminal);
  addCertsCommand(root, terminal);
  addDumpCommands(root, terminal);
  try {
    await root.parseAsync(terminal.args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return report(error, terminal);
  } finally {
    for (const client of open) client.close();
  }
}

/** As the services have them: mTLS when the variables name files, plaintext to this machine when they do not. */
function certificatesOf(env: NodeJS.ProcessEnv): Certificates | undefined {
  const files = tlsFilesOf(parseConfig(tlsVariables, env));
  try {
    return files && Certificates.open(files);
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : 'the certificates cannot be read');
  }
}

function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ConfigError) {
    terminal.err(error.message);
    return exitCodes.usage;
  }
  if (error instanceof Refusal) {
    terminal.err(error.message);
    return exitCodes.refused;
  }
  if (!(error instanceof Fault)) throw error;
  const away = error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED;
  terminal.err(away ? `no coordinator answers: start one, or name it with --coordinators or LEASEHOLD_COORDINATORS` : `${error.reason}: ${error.message}`);
  return away ? exitCodes.unreachable : exitCodes.refused;
}

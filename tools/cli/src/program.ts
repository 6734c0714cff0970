import { Command } from 'commander';
import { addAuditCommand } from './audit/commands.js';
import { addCertsCommand } from './certs.js';
import { withConnectionFlags } from './connection/settings.js';
import { addContractCommands } from './contracts/commands.js';
import { addDrainCommands } from './drain/commands.js';
import { addDumpCommands } from './dump/commands.js';
import { addExplainCommands } from './explain/commands.js';
import { addGateCommands } from './gates/commands.js';
import { addJobCommands } from './jobs/commands.js';
import { addQueueCommands } from './queue/commands.js';
import { report } from './report.js';
import { addResourceCommands } from './resources/commands.js';
import { addRolloutCommands } from './rollout/commands.js';
import { Session } from './session.js';
import type { Terminal } from './terminal.js';
import { addWorkerCommands } from './workers/commands.js';

/** Runs one command line; answers the exit code. */
export async function program(terminal: Terminal): Promise<number> {
  const root = withConnectionFlags(new Command('leasehold'))
    .description('Takes kinds of jobs from version to version, looks at and acts on a running Leasehold, dumps and restores its databases, and makes certificates for development')
    .option('--json', 'print JSON for programs instead of tables')
    .addHelpText('after', '\nExit codes: 0 done, or the gate passes; 1 refused, or the gate fails; 2 nobody answers, or the gate is unknown; 64 the command line is wrong.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: (text) => terminal.err(text.trimEnd()) });
  const session = new Session(terminal, root);
  for (const add of [addContractCommands, addGateCommands, addRolloutCommands, addWorkerCommands, addJobCommands, addResourceCommands, addQueueCommands, addDrainCommands, addAuditCommand, addExplainCommands]) add(root, session);
  addCertsCommand(root, terminal);
  addDumpCommands(root, terminal);
  try {
    await root.parseAsync(terminal.args, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    return report(error, session);
  } finally {
    session.services.close();
  }
}

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { parseCommandLine, type StackCommand } from './command-line.js';
import { interruption } from './interrupt.js';
import { processTerminal } from './terminal.js';

const usageCode = 2;
const clone = join(dirname(fileURLToPath(import.meta.url)), '../../..');

process.exit(await main());

async function main(): Promise<number> {
  const terminal = processTerminal();
  const interrupt = interruption();
  try {
    const command = commandLine();
    if (typeof command === 'number') return command;
    if (process.platform === 'win32') {
      terminal.failure('the local stack runs on Linux and macOS; on Windows start it in WSL');
      return 1;
    }
    // Loaded late, so that a missing library is a line for people instead of a stack trace.
    const { run } = await import('./run.js');
    return await run(command, terminal, interrupt);
  } catch (error) {
    const { faultLine } = await import('./fault-line.js');
    terminal.failure(faultLine(error));
    return 1;
  }
}

function commandLine(): StackCommand | number {
  try {
    // npm runs scripts in the clone, whatever folder somebody types in; paths mean, and are shown from, that one.
    if (process.env['INIT_CWD'] !== undefined) process.chdir(process.env['INIT_CWD']);
    return parseCommandLine(process.argv.slice(2), { folder: process.cwd(), data: join(clone, '.leasehold') });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageCode;
    throw error;
  }
}

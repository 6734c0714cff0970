import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from './stack-fault.js';

const execute = promisify(execFile);

export interface Machine {
  readonly path: string;
  readonly root: boolean;
}

export const thisMachine = (): Machine => ({ path: process.env['PATH'] ?? '', root: process.getuid?.() === 0 });

/** Programs that tests need and npm does not bring. */
export interface Need {
  /** As people call it: `Ceph`. */
  readonly name: string;
  /** The programs; of those written `a|b` one is enough. */
  readonly programs: readonly string[];
  /** Debian's packages, separated by spaces. */
  readonly packages: string;
  /** The part of the tests that LEASEHOLD_WITHOUT leaves out. */
  readonly part: string;
  /** `tests against S3`. */
  readonly who: string;
}

/** What a person types where this package may not install anything. */
export const installLine = ({ packages }: Need): string => `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages}`;

// A lock of its own: apt-get waits for another installation, but not for another update of its lists. Only root can make files in /run.
const lock = '/run/leasehold-apt.lock';
const timeoutMs = 8 * 60_000;

/**
 * Makes sure that the programs are on PATH: those that are there are taken as they are, else Debian's packages are installed where this process is root,
 * else a StackFault says what to type. Safe to call from several processes at once.
 */
export async function ensurePrograms(need: Need, machine: Machine): Promise<void> {
  if ((await missing(need, machine)).length === 0) return;
  const mayInstall = machine.root && (await locate('apt-get', machine)) !== undefined && (await locate('flock', machine)) !== undefined;
  if (!mayInstall) throw lacking(need, await missing(need, machine));
  const install = `apt-get -qq update && apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 install ${need.packages}`;
  // Looked at again under the lock: somebody else may just have finished.
  const there = need.programs.map((names) => `{ ${names.split('|').map((name) => `command -v ${name} >/dev/null`).join(' || ')}; }`).join(' && ');
  try {
    await execute('flock', [lock, 'sh', '-c', `${there} || { ${install}; }`], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new StackFault(`${need.name} could not be installed: ${lastLine(error)}. ${advice(need)}`, { cause: error });
  }
  const still = await missing(need, machine);
  if (still.length > 0) throw lacking(need, still);
}

const advice = (need: Need): string => `Run: ${installLine(need)} - or leave the tests out that need it: LEASEHOLD_WITHOUT=${need.part}`;
const lacking = (need: Need, names: readonly string[]): StackFault =>
  new StackFault(`${need.who} need ${need.name}, and ${names.join(', ').replaceAll('|', ' or ')} ${names.length === 1 ? 'is' : 'are'} not installed. ${advice(need)}`);

async function missing({ programs }: Need, machine: Machine): Promise<string[]> {
  const found = await Promise.all(programs.map((names) => locate(names, machine)));
  return programs.filter((_, n) => found[n] === undefined);
}

/** Where the first of the programs `a|b` is that is on PATH. */
export async function locate(names: string, { path }: Machine): Promise<string | undefined> {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const file of names.split('|').flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await access(file, constants.X_OK).then(() => true, () => false)) return file;
  }
  return undefined;
}

function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (stderr === '' ? error.message : stderr).split('\n').at(-1) ?? '';
}

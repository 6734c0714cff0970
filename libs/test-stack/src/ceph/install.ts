import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '../stack-fault.js';

const execute = promisify(execFile);

const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin', 'setpriv', 'setsid'];
const packages = 'ceph-mon ceph-osd radosgw ceph-common';
/** What a person types where this package may not install anything. */
export const installLine = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages}`;

// A lock of its own: apt-get waits for another installation, but not for another update of its lists. Only root can make files in /run.
const lock = '/run/leasehold-apt.lock';
const install = `apt-get -qq update && apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 install ${packages}`;
const timeoutMs = 8 * 60_000;

export interface Machine {
  readonly path: string;
  readonly root: boolean;
}

const thisMachine = (): Machine => ({ path: process.env['PATH'] ?? '', root: process.getuid?.() === 0 });

/**
 * Makes sure that Ceph's programs are on PATH: those that are there are taken as they are, else Debian's packages are installed where this process is root,
 * else a StackFault says what to type. Safe to call from several processes at once.
 */
export async function ensureCeph(machine = thisMachine()): Promise<void> {
  if ((await missing(machine)).length === 0) return;
  const mayInstall = machine.root && (await onPath('apt-get', machine)) && (await onPath('flock', machine));
  if (!mayInstall) throw lacking(await missing(machine));
  // Looked at again under the lock: somebody else may just have finished.
  const script = `for program in ${programs.join(' ')}; do command -v "$program" >/dev/null || exec sh -c '${install}'; done`;
  try {
    await execute('flock', [lock, 'sh', '-c', script], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new StackFault(`Ceph could not be installed: ${lastLine(error)}. ${advice}`, { cause: error });
  }
  const still = await missing(machine);
  if (still.length > 0) throw lacking(still);
}

const advice = `Run: ${installLine} - or leave the tests out that need it: LEASEHOLD_WITHOUT=s3`;
const lacking = (names: readonly string[]): StackFault => new StackFault(`tests against S3 need Ceph, and ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not installed. ${advice}`);

async function missing(machine: Machine): Promise<string[]> {
  const found = await Promise.all(programs.map((program) => onPath(program, machine)));
  return programs.filter((_, n) => found[n] === false);
}

async function onPath(program: string, { path }: Machine): Promise<boolean> {
  const looks = path.split(delimiter).filter((folder) => folder !== '').map((folder) => access(join(folder, program), constants.X_OK).then(() => true, () => false));
  return (await Promise.all(looks)).includes(true);
}

function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (stderr === '' ? error.message : stderr).split('\n').at(-1) ?? '';
}

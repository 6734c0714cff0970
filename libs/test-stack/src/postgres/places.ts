import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StackFault, codeOf } from '../stack-fault.js';
import { type Account, canEnter, runAs } from './account.js';
import { type Binaries, binariesIn } from './binaries.js';

/** Where the account finds programs and may keep files. `cache` outlives runs; `temporary` is this clone's and account's alone. */
export interface Places {
  readonly binaries: Binaries;
  readonly version: string;
  readonly cache: string;
  readonly temporary: string;
}

/**
 * Programs run from node_modules and the cache lies in node_modules/.cache. Where the account cannot reach them (root's clone under /root),
 * both are in the temporary folder instead.
 */
export async function placesFor(account: Account, installed: Binaries): Promise<Places> {
  const native = await realpath(installed.native);
  const temporary = await temporaryFolder(account, native);
  const version = await versionOf(account, installed).catch((error: unknown) => {
    if (account.switches && codeOf(error) === 'EACCES') return undefined;
    throw new StackFault(`PostgreSQL's programs do not run: ${installed.postgres}: ${oneLine(error)}`, { cause: error });
  });
  if (version !== undefined) {
    const cache = join(dirname(dirname(dirname(installed.native))), '.cache/leasehold');
    const usable = await mkdir(cache, { recursive: true }).then(() => canEnter(account, cache), () => false);
    return { binaries: installed, version, cache: usable ? cache : temporary, temporary };
  }
  const binaries = await copyOf(native, temporary);
  return { binaries, version: await versionOf(account, binaries), cache: temporary, temporary };
}

async function versionOf(account: Account, binaries: Binaries): Promise<string> {
  const output = await runAs(account, binaries.postgres, ['--version']);
  const version = /PostgreSQL\) (\d+\S*)/.exec(output)?.[1];
  if (version === undefined) throw new StackFault(`${binaries.postgres} --version answered ${JSON.stringify(output)}`);
  return version;
}

async function temporaryFolder(account: Account, clone: string): Promise<string> {
  const root = (await canEnter(account, tmpdir())) ? tmpdir() : '/tmp';
  const folder = join(root, `leasehold-${account.uid}-${createHash('sha256').update(clone).digest('hex').slice(0, 12)}`);
  await mkdir(folder, { mode: 0o700 }).then(async () => {
    if (account.switches) await chown(folder, account.uid, account.gid);
  }, (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // The name can be guessed: a folder that somebody else put there first must not be trusted with data.
  const { uid } = await lstat(folder);
  if (uid !== account.uid && uid !== process.getuid?.()) throw new StackFault(`${folder} belongs to another user (uid ${uid}): remove it, or set TMPDIR to a folder of your own`);
  return folder;
}

async function copyOf(installed: string, temporary: string): Promise<Binaries> {
  const { mtimeMs } = await lstat(binariesIn(installed).postgres);
  const native = join(temporary, `native-${Math.trunc(mtimeMs)}`);
  if (await lstat(native).catch(() => undefined)) return binariesIn(native);
  const making = `${native}.making-${randomBytes(6).toString('hex')}`;
  try {
    await cp(installed, making, { recursive: true, verbatimSymlinks: true });
    await chmod(making, 0o755);
    await renameUnlessMade(making, native);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return binariesIn(native);
}

/** Gives a finished folder its name. Of several that were made at once the first one stays, and that is as good. */
export async function renameUnlessMade(making: string, final: string): Promise<void> {
  try {
    await rename(making, final);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

const oneLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s*\n\s*/g, ' | ');

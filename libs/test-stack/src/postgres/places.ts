import { createHash, randomBytes } from 'node:crypto';
import { access, chmod, chown, constants, cp, lstat, mkdir, realpath, rename, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StackFault, codeOf } from '../stack-fault.js';
import { type Account, canEnter, runAs } from './account.js';
import { type Binaries, binariesIn } from './binaries.js';

/**
 * Where the account finds programs and may keep files. `cache` outlives runs; `temporary` and `scratch` are this clone's and account's alone, and what lies in
 * `scratch` is never needed after its run.
 */
export interface Places {
  readonly binaries: Binaries;
  readonly version: string;
  readonly cache: string;
  readonly temporary: string;
  readonly scratch: string;
}

/**
 * Programs run from node_modules and the cache lies in node_modules/.cache. Where the account cannot reach them (root's clone under /root),
 * both are in the temporary folder instead.
 */
export async function placesFor(account: Account, installed: Binaries): Promise<Places> {
  const native = await realpath(installed.native);
  const temporary = await folderOfClone((await canEnter(account, tmpdir())) ? tmpdir() : '/tmp', account, native);
  const memory = await memoryFolder();
  const scratch = memory === undefined ? temporary : await folderOfClone(memory, account, native);
  const version = await versionOf(account, installed).catch((error: unknown) => {
    if (account.switches && codeOf(error) === 'EACCES') return undefined;
    throw new StackFault(`PostgreSQL's programs do not run: ${installed.postgres}: ${oneLine(error)}`, { cause: error });
  });
  if (version !== undefined) {
    const cache = join(dirname(dirname(dirname(installed.native))), '.cache/leasehold');
    const usable = await mkdir(cache, { recursive: true }).then(() => access(cache, constants.W_OK)).then(() => canEnter(account, cache), () => false);
    return { binaries: installed, version, cache: usable ? cache : temporary, temporary, scratch };
  }
  const binaries = await copyOf(native, temporary);
  return { binaries, version: await versionOf(account, binaries), cache: temporary, temporary, scratch };
}

async function versionOf(account: Account, binaries: Binaries): Promise<string> {
  const output = await runAs(account, binaries.postgres, ['--version']);
  const version = /PostgreSQL\) (\d+\S*)/.exec(output)?.[1];
  if (version === undefined) throw new StackFault(`${binaries.postgres} --version answered ${JSON.stringify(output)}`);
  return version;
}

/**
 * Linux's folder in memory, if it has plenty of room, else undefined. A new cluster is a thousand files, and a disk's file system takes long over those while
 * other runs remove theirs: starts were 6 times as fast in memory on a busy machine.
 */
export async function memoryFolder(path = '/dev/shm', neededBytes = 4 * 1024 ** 3): Promise<string | undefined> {
  const tmpfs = 0x01021994;
  const { type, bavail, bsize } = await statfs(path).catch(() => ({ type: 0, bavail: 0, bsize: 0 }));
  const writable = await access(path, constants.W_OK | constants.X_OK).then(() => true, () => false);
  // A container's memory can be far less than what its tmpfs promises.
  return type === tmpfs && writable && Math.min(bavail * bsize, process.availableMemory()) >= neededBytes ? path : undefined;
}

async function folderOfClone(root: string, account: Account, clone: string): Promise<string> {
  const folder = join(root, `leasehold-${account.uid}-${createHash('sha256').update(clone).digest('hex').slice(0, 12)}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // The name can be guessed: a folder that somebody else put there first must not be trusted with data.
  const { uid } = await lstat(folder);
  if (uid !== account.uid && uid !== process.getuid?.()) throw new StackFault(`${folder} belongs to another user (uid ${uid}): remove it, or set TMPDIR to a folder of your own`);
  // Whoever made it: another start may be between these two steps.
  if (account.switches && uid !== account.uid) await chown(folder, account.uid, account.gid);
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

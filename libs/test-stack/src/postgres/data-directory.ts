import { createHash, randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StackFault, codeOf } from '../stack-fault.js';
import { type Account, canEnter, runAs } from './account.js';
import { explain } from './explain.js';
import { type Places, renameUnlessMade } from './places.js';
import { sweep, temporaryPrefix } from './sweep.js';
import { passwordFile, templateCluster } from './template.js';

/**
 * Makes sure that a data directory of this version is there, and answers its path. That is another path than the one asked for where the account cannot
 * reach it: a folder of the same name in the clone's temporary folder.
 */
export async function dataDirectory(wanted: string | undefined, account: Account, places: Places, o: { readonly durable: boolean }): Promise<string> {
  if (wanted === undefined) {
    // Who asks for fsync wants a disk.
    const place = o.durable ? places.temporary : places.scratch;
    await sweep(place);
    const folder = join(place, `${temporaryPrefix}${randomBytes(6).toString('hex')}`);
    await create(folder, account, places, o);
    return folder;
  }
  const folder = await reachable(resolve(wanted), account, places);
  const present = await contentsOf(folder);
  if (present.length === 0) await create(folder, account, places, o);
  else await checkVersion(folder, present, places.version);
  return folder;
}

async function reachable(folder: string, account: Account, places: Places): Promise<string> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  if (await canEnter(account, parent)) return folder;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(places.temporary, `${basename(folder)}-${name}`);
}

async function contentsOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    if (codeOf(error) === 'EACCES') throw new StackFault(`the data directory ${folder} belongs to another user: start as that user or as root, or choose another one`, { cause: error });
    throw error;
  }
}

async function checkVersion(folder: string, present: string[], version: string): Promise<void> {
  if (!present.includes('PG_VERSION')) throw new StackFault(`${folder} is neither empty nor a PostgreSQL data directory: choose another folder`);
  if (!present.includes(passwordFile)) throw new StackFault(`the data directory ${folder} was not made by this stack (it holds no ${passwordFile}): choose another folder`);
  const made = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  const [major] = version.split('.');
  if (made !== major) throw new StackFault(`the data directory ${folder} was made by PostgreSQL ${made} and this is PostgreSQL ${major}: move it away to start with an empty one, or go on with the release that made it`);
}

// Copied beside its place and renamed when complete: a start that is killed half way leaves nothing that looks like a cluster.
async function create(folder: string, account: Account, places: Places, { durable }: { readonly durable: boolean }): Promise<void> {
  const template = await templateCluster(account, places);
  const making = `${folder}.making-${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(making, { mode: 0o700 });
    if (account.switches) await chown(making, account.uid, account.gid);
    await runAs(account, 'cp', ['-Rp', `${template}/.`, making]);
    if (durable) await runAs(account, places.binaries.initdb, ['--sync-only', `--pgdata=${making}`]);
    await renameUnlessMade(making, folder);
  } catch (error) {
    throw explain(error, `making the data directory ${folder}`);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

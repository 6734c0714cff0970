import { createHash, randomBytes } from 'node:crypto';
import { access, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, runAs } from './account.js';
import { explain } from './explain.js';
import { type Places, renameUnlessMade } from './places.js';

export const superuser = 'postgres';
/** Lies in the data directory and moves with it. */
export const passwordFile = 'leasehold-password';

// The builtin provider sorts by code point on every system; libc's C.UTF-8 is missing on some. The password is random and long, so that
// iterations would only slow down every connection of every test.
const options = [
  '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', `--username=${superuser}`,
  '--auth=scram-sha-256', '--data-checksums', '--no-instructions', '--no-sync', '--set=scram_iterations=1',
];

/**
 * A cluster fresh from initdb, to be copied; made once per version and account (2 to 3 s). Made under another name and renamed when finished, so
 * that nobody ever copies half a cluster, also when several processes find none at the same time.
 */
export async function templateCluster(account: Account, places: Places): Promise<string> {
  const key = createHash('sha256').update(options.join('\n')).digest('hex').slice(0, 8);
  const template = join(places.cache, `postgres-${places.version}-${account.uid}-${key}`);
  if (await access(template).then(() => true, () => false)) return template;
  const making = `${template}.making-${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(making, { mode: 0o700 });
    const secret = `${making}.password`;
    await writeFile(secret, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (account.switches) await Promise.all([making, secret].map((path) => chown(path, account.uid, account.gid)));
    await runAs(account, places.binaries.initdb, [...options, `--pwfile=${secret}`, `--pgdata=${making}`]);
    await rename(secret, join(making, passwordFile));
    await renameUnlessMade(making, template);
  } catch (error) {
    throw explain(error, `making a database cluster in ${making}`);
  } finally {
    await Promise.all([making, `${making}.password`].map((path) => rm(path, { recursive: true, force: true })));
  }
  return template;
}

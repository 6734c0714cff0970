// Rules of the repository that no other tool checks. The lint target of this project runs it; it prints what is wrong, a line each.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf } from './files.mjs';
import { accidentalImports } from './imports.mjs';
import { projects } from './projects.mjs';

/**
 * @param {string} root
 * @returns {string[]} sorted
 */
export function violations(root) {
  const files = filesOf(root);
  return [
    ...files.flatMap(nameViolations),
    ...twins(files),
    ...files.filter((path) => path.endsWith('.sql')).flatMap((path) => sqlViolations(path, readFileSync(join(root, path), 'utf8'))),
    ...projects(root).flatMap(({ folder }) => readmeViolations(root, `${folder}/README.md`)),
    ...accidentalImports(root, files),
  ].sort();
}

// Names of kinds, not of roles: what they hold has no one reason to change.
const forbidden = /^((.*-)?(common|shared|utils?|helpers?|managers?)|types|interfaces|constants)$/;

/** @param {string} path */
function nameViolations(path) {
  const wrong = path.split('/').find((part) => forbidden.test(part.replace(/(\.[a-z]+)+$/, '')));
  return wrong === undefined ? [] : [`${path}: "${wrong}" names a kind, not a role`];
}

/** Two versions of a file beside each other. @param {string[]} files */
function twins(files) {
  const stems = new Map();
  for (const path of files) {
    const stem = /^(.*[^a-z])v\d+(\.[a-z.]+)$/.exec(basename(path));
    if (stem === null) continue;
    const key = `${dirname(path)}/${stem[1]}*${stem[2]}`;
    stems.set(key, [...(stems.get(key) ?? []), path]);
  }
  return [...stems.values()].filter((paths) => paths.length > 1).map((paths) => `${paths.join(', ')}: versions of one file beside each other`);
}

/** @param {string} path @param {string} text */
function sqlViolations(path, text) {
  return /^-- \S/.test(text) ? [] : [`${path}: no header that says what it is for, what goes in and what comes out`];
}

/** @param {string} root @param {string} path */
function readmeViolations(root, path) {
  if (!existsSync(join(root, path))) return [`${path}: missing`];
  const [first = ''] = readFileSync(join(root, path), 'utf8').split('\n');
  // A sentence, be it a heading: a title says nothing that the folder's name does not.
  const words = first.replace(/^#+ /, '').trim().split(/\s+/);
  return words.length >= 6 ? [] : [`${path}: the first line must say why the project exists, not "${first}"`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = violations(join(dirname(fileURLToPath(import.meta.url)), '../../..'));
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}

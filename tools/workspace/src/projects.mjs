import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ command?: string }} Options
 * @typedef {{ tags?: string[], targets?: Record<string, { options?: Options }> }} Nx
 * @typedef {{ name: string, dependencies?: Record<string, string>, devDependencies?: Record<string, string>, nx?: Nx }} Manifest
 * @typedef {{ folder: string, name: string, manifest: Manifest, internal: string[] }} Project `internal`: its dependencies within the workspace
 */

/**
 * Every project of a workspace, sorted by folder.
 * @param {string} root
 * @returns {Project[]}
 */
export function projects(root) {
  /** @type {{ workspaces: string[] }} */
  const { workspaces } = readJson(root, 'package.json');
  const folders = workspaces.flatMap((pattern) => (pattern.endsWith('/*') ? foldersIn(root, pattern.slice(0, -'/*'.length)) : [pattern]));
  return folders.sort().map((folder) => {
    /** @type {Manifest} */
    const manifest = readJson(root, join(folder, 'package.json'));
    const internal = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter((name) => name.startsWith('@leasehold/')).sort();
    return { folder, manifest, name: manifest.name, internal };
  });
}

/** @typedef {'edge' | 'lib' | 'service' | 'tool'} ProjectType */
/** @type {Record<string, ProjectType>} */
const types = { proto: 'edge', libs: 'lib', services: 'service', tools: 'tool' };

/**
 * What a project is, from where it lies.
 * @param {string} folder
 * @returns {ProjectType}
 */
export function typeOf(folder) {
  const type = types[folder.split('/')[0] ?? ''];
  if (type === undefined) throw new Error(`${folder}: projects lie in proto, libs, services or tools`);
  return type;
}

/** @param {string} root @param {string} path */
export const readJson = (root, path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** @param {string} root @param {string} parent */
const foldersIn = (root, parent) =>
  readdirSync(join(root, parent), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => `${parent}/${entry.name}`);

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

// What is made, not written; as in .gitignore.
const made = new Set(['node_modules', 'dist', 'gen', 'test-results', 'coverage', '.git', '.nx', '.leasehold']);

/**
 * Every written file of the workspace, relative to its root.
 * @param {string} root @param {string} folder
 * @returns {string[]}
 */
export function filesOf(root, folder = '') {
  if (folder === 'tools/robustness/releases') return []; // Bundles of earlier builds, which are committed.
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (made.has(entry.name)) return [];
    return entry.isDirectory() ? filesOf(root, path) : [path];
  });
}

import semver from 'semver';

/**
 * @typedef {{ dependencies?: Record<string, string>, devDependencies?: Record<string, string>, peerDependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, overrides?: Record<string, string> }} Dependencies
 */

/**
 * Dependencies that are not pinned to one version, as `name range`.
 * @param {Dependencies} manifest
 */
export function unpinned({ dependencies, devDependencies, peerDependencies, optionalDependencies, overrides }) {
  const all = Object.entries({ ...peerDependencies, ...optionalDependencies, ...overrides, ...devDependencies, ...dependencies });
  return all.filter(([, range]) => semver.valid(range) !== range).map(([name, range]) => `${name} ${range}`);
}

/**
 * Installed packages that do not promise to run on every Node that this workspace promises to run on, as `path range`.
 * @param {string} engines the workspace's own range
 * @param {Record<string, { engines?: { node?: string }, optional?: boolean }>} packages of package-lock.json
 */
export function narrower(engines, packages) {
  // Optional ones are for other machines, or do without.
  return Object.entries(packages).filter(([, { engines: own, optional }]) => optional !== true && own?.node !== undefined && !semver.subset(engines, own.node))
    .map(([path, { engines: own }]) => `${path} ${own?.node}`);
}

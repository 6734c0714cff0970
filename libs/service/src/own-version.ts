import { readFileSync } from 'node:fs';

/**
 * The version in a package's manifest, for the name of what runs.
 * @throws Error for a manifest that names none
 */
export function versionIn(packageJson: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(packageJson, 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string') return manifest.version;
  throw new Error('package.json names no version');
}

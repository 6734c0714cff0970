/** Parts of the tests that need more than `npm ci` brings. */
export type Part = 's3' | 'redis';

/**
 * Whether somebody left the part out on purpose: LEASEHOLD_WITHOUT names parts, separated by commas. Its tests are then skipped, and `npm test` counts
 * them in its closing summary. Use as `describe.skipIf(leftOut('s3'))`.
 */
export function leftOut(part: Part, without = process.env['LEASEHOLD_WITHOUT'] ?? ''): boolean {
  return without.split(',').some((name) => name.trim() === part);
}

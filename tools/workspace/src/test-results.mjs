import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, problem?: string }} Counts `problem`: why they cannot be believed
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, startTime: number,
 *   testResults: { name: string }[] }} Report what vitest's json reporter writes
 */

/**
 * The test files of a project, relative to its folder.
 * @param {string} folder absolute
 */
export function testFiles(folder) {
  const src = join(folder, 'src');
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => /\.i?test\.ts$/.test(path)).map((path) => `src/${path}`).sort();
}

/**
 * What a project's result file says.
 * @param {string} folder absolute
 * @param {{ since?: number, partial?: boolean }} o `since`: when the tests began that must have written it, ms since 1970; unset when
 *   nx restored it. `partial`: parts of the tests are left out on purpose.
 * @returns {Counts}
 */
export function readResults(folder, { since, partial = false }) {
  const path = join(folder, 'test-results/vitest.json');
  if (!existsSync(path)) return { passed: 0, failed: 0, skipped: 0, problem: 'no test-results/vitest.json' };
  /** @type {Report} */
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const counts = { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests };
  if (since !== undefined && report.startTime < since) return { passed: 0, failed: 0, skipped: 0, problem: 'test-results/vitest.json is of an earlier run' };
  const ran = report.testResults.map(({ name }) => name);
  const left = testFiles(folder).filter((file) => !ran.some((name) => name.endsWith(`/${file}`)));
  if (left.length > 0 && !partial) return { ...counts, problem: `did not run ${left.join(', ')}` };
  return counts;
}

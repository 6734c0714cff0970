import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, startTime: number, ms: number, problem?: string }} Counts
 *   `startTime`: ms since 1970, `ms`: how long they took, both as vitest saw it; `problem`: why the numbers cannot be believed
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
  if (!existsSync(path)) return noResults('no test-results/vitest.json');
  /** @type {Report} */
  const report = JSON.parse(readFileSync(path, 'utf8'));
  if (since !== undefined && report.startTime < since) return noResults('test-results/vitest.json is of an earlier run');
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    startTime: report.startTime,
    ms: statSync(path).mtimeMs - report.startTime,
  };
  const ran = report.testResults.map(({ name }) => name);
  const left = testFiles(folder).filter((file) => !ran.some((name) => name.endsWith(`/${file}`)));
  return left.length > 0 && !partial ? { ...counts, problem: `did not run ${left.join(', ')}` } : counts;
}

/**
 * @param {string} problem
 * @returns {Counts}
 */
export const noResults = (problem) => ({ passed: 0, failed: 0, skipped: 0, startTime: 0, ms: 0, problem });

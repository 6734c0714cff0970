import { seconds } from './quiet-command.mjs';

/**
 * @typedef {import('./nx-tasks.mjs').Task} Task
 * @typedef {import('./test-results.mjs').Counts} Counts
 * @typedef {{ name: string, task: Task | undefined, counts: Counts }} Row one project that has tests
 * @typedef {{ passed: number, failed: number, problems: string[] }} Summary
 */

/**
 * Adds up. What has no count of its own is one failure each: a result that cannot be believed, a failed task other than a test.
 * @param {Row[]} rows @param {Task[]} tasks @param {number} code nx's exit code
 * @returns {Summary}
 */
export function summarize(rows, tasks, code) {
  const problems = [
    ...rows.flatMap(({ name, counts }) => (counts.problem === undefined ? [] : [`${name} test: ${counts.problem}`])),
    ...tasks.filter(({ status, target }) => status === 'failure' && target !== 'test').map(({ project, target }) => `${project} ${target}: failed`),
  ];
  const failedTests = sum(rows, ({ counts }) => counts.failed);
  if (code !== 0 && failedTests + problems.length === 0) problems.push(`nx ended with exit code ${code}`);
  return { passed: sum(rows, ({ counts }) => counts.passed), failed: failedTests + problems.length, problems };
}

/** @param {Row[]} rows @param {(row: Row) => number} of */
const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);

/**
 * The table and the closing line; before it, what was left out on purpose.
 * @param {Row[]} rows @param {Summary} summary @param {number} ms @param {string} without what LEASEHOLD_WITHOUT names, if it does
 */
export function render(rows, { passed, failed, problems }, ms, without = '') {
  const head = ['project', 'passed', 'failed', 'skipped', '', 'seconds'];
  const cells = rows.map((row) => [
    row.name, `${row.counts.passed}`, `${row.counts.failed + (row.counts.problem === undefined ? 0 : 1)}`, `${row.counts.skipped}`, ...timing(row.task),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = [head, ...cells].map((line) => line.map((cell, column) => (column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ').trimEnd());
  const left = without === '' ? [] : [`${sum(rows, ({ counts }) => counts.skipped)} tests left out with LEASEHOLD_WITHOUT=${without}: not a full run`];
  return ['', ...lines, '', ...problems, ...(problems.length > 0 ? [''] : []), ...left, `${seconds(ms)} in all`, `${passed} passed, ${failed} failed`].join('\n');
}

/** @param {Task | undefined} task whether it ran, and its seconds */
function timing(task) {
  if (task === undefined) return ['not run', ''];
  return task.status === 'cached' ? ['cached', ''] : ['ran', (task.ms / 1000).toFixed(1)];
}

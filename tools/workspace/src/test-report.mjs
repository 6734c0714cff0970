import { seconds } from './quiet-command.mjs';

/**
 * @typedef {import('./nx-tasks.mjs').Task} Task
 * @typedef {import('./test-results.mjs').Counts} Counts
 * @typedef {{ name: string, task: Task | undefined, counts: Counts }} Row one project that has tests
 * @typedef {{ passed: number, failed: number, brokenTasks: Task[] }} Summary
 */

/**
 * Adds up: a result that cannot be believed, and each failed task other than a test, count as one failure.
 * @param {Row[]} rows @param {Task[]} tasks
 * @returns {Summary}
 */
export function summarize(rows, tasks) {
  const brokenTasks = tasks.filter((task) => task.status === 'failure' && task.target !== 'test');
  const sum = (/** @type {(row: Row) => number} */ of) => rows.reduce((total, row) => total + of(row), 0);
  return {
    passed: sum(({ counts }) => counts.passed),
    failed: sum(failures) + brokenTasks.length,
    brokenTasks,
  };
}

/** @param {Row} row */
const failures = ({ counts }) => counts.failed + (counts.problem === undefined ? 0 : 1);

/**
 * The table and the closing line.
 * @param {Row[]} rows @param {Summary} summary @param {number} ms
 */
export function render(rows, { passed, failed, brokenTasks }, ms) {
  const head = ['project', 'passed', 'failed', 'skipped', '', 'seconds'];
  const cells = rows.map((row) => [
    row.name, `${row.counts.passed}`, `${failures(row)}`, `${row.counts.skipped}`, ...timing(row.task),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = [head, ...cells].map((line) => line.map((cell, column) => (column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ').trimEnd());
  const problems = [
    ...rows.flatMap(({ name, counts }) => (counts.problem === undefined ? [] : [`${name} test: ${counts.problem}`])),
    ...brokenTasks.map(({ project, target }) => `${project} ${target}: failed`),
  ];
  return ['', ...lines, '', ...problems, ...(problems.length > 0 ? [''] : []), `${seconds(ms)} in all`, `${passed} passed, ${failed} failed`].join('\n');
}

/** @param {Task | undefined} task whether it ran, and its seconds */
function timing(task) {
  if (task === undefined) return ['not run', ''];
  return task.status === 'cached' ? ['cached', ''] : ['ran', (task.ms / 1000).toFixed(1)];
}

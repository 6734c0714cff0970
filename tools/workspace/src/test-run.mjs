import { join } from 'node:path';
import { runTasks } from './nx-tasks.mjs';
import { projects } from './projects.mjs';
import { seconds } from './quiet-command.mjs';
import { render, summarize } from './test-report.mjs';
import { noResults, readResults, testFiles } from './test-results.mjs';

/** @typedef {import('./test-results.mjs').Counts} Counts */

/**
 * Builds, lints and tests every project, prints what happens and a table, and `N passed, N failed` as the last line. What cannot be
 * built or linted, and tests that did not run, count as failed.
 * @param {string} root
 * @returns {Promise<number>} the exit code
 */
export async function testEverything(root) {
  const all = projects(root);
  const folders = new Map(all.map((project) => [project.name, join(root, project.folder)]));
  const without = process.env['LEASEHOLD_WITHOUT'] ?? '';
  const partial = without !== '';
  if (partial) console.log(`Without ${without} (LEASEHOLD_WITHOUT): tests that need it are left out, so this is not a full run.`);
  console.log(`Building, linting and testing ${all.length} projects`);

  const started = Date.now();
  const { code, output, tasks } = await runTasks(root, ['build', 'lint', 'test'], {
    onSuccess(project, target) {
      if (target === 'test') console.log(`  passed  ${project}  ${told(readResults(folders.get(project) ?? '', { partial }), started)}`);
    },
    onFailure(project, target, text) {
      console.log(`  FAILED  ${project} ${target}\n\n${text}\n`);
    },
  });
  if (tasks.length === 0) console.log(output.trim()); // nx could not even begin.

  const rows = all.filter(({ folder, manifest }) => manifest.nx?.targets?.['test'] !== undefined || testFiles(join(root, folder)).length > 0)
    .map(({ name, folder }) => {
      const task = tasks.find((each) => each.project === name && each.target === 'test');
      return { name, task, counts: counts(join(root, folder), task, started, partial) };
    });
  const report = summarize(rows, tasks, code);
  console.log(render(rows, report, Date.now() - started, without));
  return report.failed === 0 ? 0 : 1;
}

/**
 * @param {string} folder
 * @param {import('./nx-tasks.mjs').Task | undefined} task
 * @param {number} started
 * @param {boolean} partial
 * @returns {Counts}
 */
function counts(folder, task, started, partial) {
  if (task === undefined) return noResults('did not run');
  const read = readResults(folder, task.status === 'cached' ? { partial } : { since: started, partial });
  // vitest also fails without a failed test: an error outside of any, or no tests at all.
  if (task.status === 'failure' && read.failed === 0 && read.problem === undefined) return { ...read, problem: 'failed outside of its tests' };
  return read;
}

/** @param {Counts} read @param {number} started */
function told({ passed, skipped, startTime, ms, problem }, started) {
  const parts = [`${passed} passed`, ...(skipped > 0 ? [`${skipped} skipped`] : []), startTime < started ? 'cached' : seconds(ms)];
  return [...parts, ...(problem === undefined ? [] : [problem])].join(', ');
}

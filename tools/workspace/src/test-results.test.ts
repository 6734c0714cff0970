import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchWorkspace } from './scratch-workspace.js';
import { readResults } from './test-results.mjs';
import { render, summarize } from './test-report.mjs';

let workspace: ScratchWorkspace;
beforeEach(async () => {
  workspace = await ScratchWorkspace.empty();
  await workspace.write('src/a.test.ts', '');
  await workspace.write('src/nested/b.itest.ts', '');
});
afterEach(() => workspace.remove());

const report = (files: string[]) =>
  workspace.write('test-results/vitest.json', JSON.stringify({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 1, numTodoTests: 1, startTime: 1000, testResults: files.map((name) => ({ name: `/elsewhere/${name}` })) }));

test('the counts are those of the file', async () => {
  await report(['src/a.test.ts', 'src/nested/b.itest.ts']);
  const read = readResults(workspace.path, { since: 1000 });
  expect(read).toMatchObject({ passed: 5, failed: 1, skipped: 2 });
  expect(read.problem).toBeUndefined();
});

test('a file of an earlier run counts nothing', async () => {
  await report(['src/a.test.ts', 'src/nested/b.itest.ts']);
  expect(readResults(workspace.path, { since: 1001 })).toMatchObject({ passed: 0, problem: 'test-results/vitest.json is of an earlier run' });
});

test('no file counts nothing', () => {
  expect(readResults(workspace.path, {})).toMatchObject({ passed: 0, problem: 'no test-results/vitest.json' });
});

test('a test file that did not run is told, unless parts are left out on purpose', async () => {
  await report(['src/a.test.ts']);
  expect(readResults(workspace.path, {})).toMatchObject({ passed: 5, problem: 'did not run src/nested/b.itest.ts' });
  expect(readResults(workspace.path, { partial: true }).problem).toBeUndefined();
});

test('the last line adds up what is failed: tests, results that cannot be believed, builds and lints', () => {
  const row = (name: string, passed: number, failed: number, problem?: string) =>
    ({ name, task: undefined, counts: { passed, failed, skipped: 0, startTime: 0, ms: 0, ...(problem === undefined ? {} : { problem }) } });
  const rows = [row('a', 10, 2), row('b', 0, 0, 'did not run'), row('c', 7, 0)];
  const tasks = [
    { project: 'b', target: 'build', status: 'failure', ms: 1 }, { project: 'c', target: 'lint', status: 'failure', ms: 1 },
    { project: 'a', target: 'test', status: 'failure', ms: 1 }, { project: 'c', target: 'test', status: 'cached', ms: 1 },
  ] as const;
  const summary = summarize(rows, [...tasks], 1);
  expect(summary).toEqual({ passed: 17, failed: 5, problems: ['b test: did not run', 'b build: failed', 'c lint: failed'] });
  expect(render(rows, summary, 1000).split('\n').at(-1)).toBe('17 passed, 5 failed');
});

test('what was left out on purpose is counted before the last lines', () => {
  const rows = ['a', 'b'].map((name) => ({ name, task: undefined, counts: { passed: 10, failed: 0, skipped: 4, startTime: 0, ms: 0 } }));
  const summary = summarize(rows, [], 0);
  expect(render(rows, summary, 1000, 's3').split('\n').slice(-3)).toEqual(['8 tests left out with LEASEHOLD_WITHOUT=s3: not a full run', '1.0 s in all', '20 passed, 0 failed']);
  expect(render(rows, summary, 1000)).not.toContain('left out');
});

test('a run that failed without a failed task is not told as a success', () => {
  expect(summarize([], [], 1)).toEqual({ passed: 0, failed: 1, problems: ['nx ended with exit code 1'] });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScratchWorkspace, root } from './scratch-workspace.js';

// A workspace of two small projects, tested by the same code, nx and vitest as this one.
let workspace: ScratchWorkspace;
const program = `import { testEverything } from '${root}tools/workspace/src/test-run.mjs'; console.log('exit code', await testEverything(process.cwd()));`;

async function testRun(): Promise<{ code: string | undefined; lines: string[]; last: string | undefined }> {
  const lines = (await workspace.run('node', '--input-type=module', '--eval', program)).split('\n');
  const code = lines.pop();
  return { code, lines, last: lines.at(-1) };
}

/** The row of a project in the table, its cells. */
const row = (lines: string[], project: string): string[] => lines.filter((line) => line.startsWith(`@scratch/${project} `)).map((line) => line.split(/ {2,}/)).flat();

beforeAll(async () => {
  workspace = await ScratchWorkspace.empty();
  const vitest = 'vitest run --dir src --reporter=default --reporter=json --outputFile.json=test-results/vitest.json';
  const target = (command: string, more: object = {}) => ({ executor: 'nx:run-commands', options: { command, cwd: '{projectRoot}' }, inputs: ['{projectRoot}/src/**'], cache: true, ...more });
  await workspace.write('package.json', JSON.stringify({ name: 'scratch', private: true, workspaces: ['libs/*'], engines: { node: '>=20.19.0' } }));
  await workspace.write('.gitignore', 'node_modules\n.nx\ntest-results\n');
  await workspace.write('nx.json', JSON.stringify({
    analytics: false, neverConnectToCloud: true, useDaemonProcess: false, useInferencePlugins: false, cacheDirectory: '.nx/cache',
    targetDefaults: { build: target('node build.mjs'), test: target(vitest, { dependsOn: ['build'], outputs: ['{projectRoot}/test-results'] }) },
  }));
  for (const name of ['one', 'two']) {
    await workspace.write(`libs/${name}/package.json`, JSON.stringify({ name: `@scratch/${name}`, version: '0.0.0', type: 'module', nx: { targets: { build: {}, test: {} } } }));
    await workspace.write(`libs/${name}/build.mjs`, `import './src/build.mjs';`);
    await workspace.write(`libs/${name}/src/build.mjs`, '');
    await workspace.write(`libs/${name}/src/it.test.ts`, passing);
  }
});
afterAll(() => workspace.remove());

const passing = `import { expect, test } from 'vitest'; test('a', () => { expect(1).toBe(1); }); test('b', () => { expect(1).toBe(1); });`;

// Each of these runs nx and vitest for the projects: some seconds, many on a busy machine.
describe.sequential('npm test', { timeout: 120_000 }, () => {
  test('closes with the counts alone on the last line', async () => {
    const { code, lines, last } = await testRun();
    expect([last, code]).toEqual(['4 passed, 0 failed', 'exit code 0']);
    expect(row(lines, 'one')).toEqual(['@scratch/one', '2', '0', '0', 'ran', expect.stringMatching(/^\d+\.\d$/)]);
  });

  test('runs nothing again that did not change and says the same, also when result files are gone or were overwritten since', async () => {
    await workspace.write('libs/one/test-results/vitest.json', '{ "numPassedTests": 70, "numFailedTests": 0, "testResults": [] }');
    await workspace.run('rm', 'libs/two/test-results/vitest.json');
    const { code, lines, last } = await testRun();
    expect([last, code]).toEqual(['4 passed, 0 failed', 'exit code 0']);
    expect(['one', 'two'].map((name) => row(lines, name)[4])).toEqual(['cached', 'cached']);
  });

  test('shows what fails in full, and counts failed builds and tests that did not run', async () => {
    await workspace.write('libs/one/src/it.test.ts', passing.replace('toBe(1)', `toBe('something else')`));
    await workspace.write('libs/two/src/build.mjs', `throw new Error('does not build');`);
    await workspace.write('libs/three/package.json', JSON.stringify({ name: '@scratch/three', version: '0.0.0', type: 'module', nx: { targets: {} } }));
    await workspace.write('libs/three/src/it.test.ts', passing);
    const { code, lines, last } = await testRun();
    expect([last, code]).toEqual(['1 passed, 4 failed', 'exit code 1']);
    expect(lines).toEqual(expect.arrayContaining([
      '  FAILED  @scratch/one test',
      `AssertionError: expected 1 to be 'something else' // Object.is equality`,
      'Error: does not build',
      '@scratch/two build: failed',
      '@scratch/two test: did not run',
      '@scratch/three test: did not run',
    ]));
  });
});

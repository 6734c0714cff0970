import { afterEach, beforeEach, expect, test } from 'vitest';
import { violations } from './conventions.mjs';
import { ScratchWorkspace } from './scratch-workspace.js';

// This repository itself is checked by this project's lint target.
let workspace: ScratchWorkspace;
beforeEach(async () => {
  workspace = await ScratchWorkspace.empty();
  await workspace.write('package.json', JSON.stringify({ workspaces: ['libs/*'], devDependencies: { vitest: '4.1.12' } }));
  await workspace.write('libs/a/package.json', JSON.stringify({ name: '@leasehold/a', dependencies: { pg: '8.23.1', '@bufbuild/protobuf': '2.17.0' } }));
  await workspace.write('libs/a/README.md', 'Keeps leases, so that a job has one holder at a time.\n');
  await workspace.write('libs/a/src/trust-window.ts', `import { readFile } from 'node:fs/promises';\nimport pg from 'pg';\nimport {\n  x,\n} from '@bufbuild/protobuf/wkt';\nimport { y } from './y.js';\n`);
  await workspace.write('libs/a/src/lease.sql', '-- Grants a lease. $1: the job. Answers its fence.\nselect 1;\n');
});
afterEach(() => workspace.remove());

test('a project that keeps every rule passes', () => {
  expect(violations(workspace.path)).toEqual([]);
});

test.for([
  'libs/a/src/types.ts', 'libs/a/src/interfaces.ts', 'libs/a/src/constants.ts', 'libs/a/src/helpers.ts', 'libs/a/src/lease-helpers.ts', 'libs/a/src/lease-utils.ts',
  'libs/a/src/lease-manager.ts', 'libs/a/src/utils.test.ts', 'libs/a/src/common/lease.ts', 'libs/a/src/shared/lease.ts', 'libs/common/package.json',
])('%s is refused: a name of a kind, not of a role', async (path) => {
  await workspace.write(path, '{}');
  expect(violations(workspace.path)).toContainEqual(expect.stringMatching(`^${path}: ".*" names a kind, not a role$`));
});

test('what is made is not judged', async () => {
  await workspace.write('libs/a/src/gen/types.ts', '');
  await workspace.write('libs/a/dist/constants.js', '');
  expect(violations(workspace.path)).toEqual([]);
});

test('two versions of a file beside each other are refused, one alone is not', async () => {
  await workspace.write('libs/a/src/payload-v1.ts', '');
  expect(violations(workspace.path)).toEqual([]);
  await workspace.write('libs/a/src/payload-v2.ts', '');
  expect(violations(workspace.path)).toEqual(['libs/a/src/payload-v1.ts, libs/a/src/payload-v2.ts: versions of one file beside each other']);
});

test.for(['select 1;\n', '--\nselect 1;\n', ''])('an SQL file without a header is refused: %j', async (text) => {
  await workspace.write('libs/a/src/lease.sql', text);
  expect(violations(workspace.path)).toEqual(['libs/a/src/lease.sql: no header that says what it is for, what goes in and what comes out']);
});

test.for(['# @leasehold/a\n\nThis library ...\n', '# Lease keeping library\n', '\nKeeps leases, so that a job has one holder at a time.\n', ''])('a README that does not begin with its reason is refused: %j', async (text) => {
  await workspace.write('libs/a/README.md', text);
  expect(violations(workspace.path)).toEqual([expect.stringContaining('libs/a/README.md: the first line must say why the project exists')]);
});

test('a project without a README is refused', async () => {
  await workspace.run('rm', 'libs/a/README.md');
  expect(violations(workspace.path)).toEqual(['libs/a/README.md: missing']);
});

const lodash = `'lodash'`; // Apart, so that this file is not taken for an importer.
test.for([
  `import lodash from ${lodash};`, `import ${lodash};`, `export { a } from 'lodash/a';`, `const a = await import(${lodash});`, `import {\n  a,\n} from ${lodash};`,
])('an import of a package that the project does not declare is refused: %s', async (text) => {
  await workspace.write('libs/a/src/sneaky.ts', text);
  expect(violations(workspace.path)).toEqual(['libs/a/src/sneaky.ts: imports lodash, which libs/a/package.json does not declare']);
});

test('a method that is called import imports nothing', async () => {
  await workspace.write('libs/a/src/fine.ts', `await ingest.import(${lodash});`);
  expect(violations(workspace.path)).toEqual([]);
});

test.for(['../../b/src/index.js', '../../../libs/b/dist/index.js'])('an import past what another project exports is refused: %s', async (specifier) => {
  await workspace.write('libs/a/src/sneaky.ts', `export * from '${specifier}';`);
  expect(violations(workspace.path)).toEqual([`libs/a/src/sneaky.ts: imports ${specifier}, which lies outside of libs/a`]);
});

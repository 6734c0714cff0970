import { afterEach, beforeEach, expect, test } from 'vitest';
import { isInstalled } from './install.mjs';
import { ScratchWorkspace } from './scratch-workspace.js';

const wanted = {
  '': { version: '0.1.0' },
  'libs/a': { version: '0.1.0' },
  'node_modules/@leasehold/a': { resolved: 'libs/a', link: true },
  'node_modules/pg': { version: '8.23.1', resolved: 'https://localhost/pg-8.23.1.tgz', integrity: 'sha512-a' },
  'node_modules/@img/sharp-other-machine': { version: '0.35.5', optional: true },
};
const { '': _root, 'node_modules/@img/sharp-other-machine': _other, ...installed } = wanted;

let workspace: ScratchWorkspace;
beforeEach(async () => {
  workspace = await ScratchWorkspace.empty();
  await workspace.run('rm', 'node_modules');
  await workspace.write('package-lock.json', JSON.stringify({ packages: wanted }));
});
afterEach(() => workspace.remove());

const record = (packages: object) => workspace.write('node_modules/.package-lock.json', JSON.stringify({ packages }));

test('a fresh clone is not installed', () => {
  expect(isInstalled(workspace.path)).toBe(false);
});

test('an installation by hand counts, without the packages of other machines', async () => {
  await record(installed);
  expect(isInstalled(workspace.path)).toBe(true);
});

test.for([
  ['of another version', { 'node_modules/pg': { ...installed['node_modules/pg'], version: '8.23.0' } }],
  ['from elsewhere', { 'node_modules/pg': { ...installed['node_modules/pg'], integrity: 'sha512-b' } }],
  ['gone', { 'node_modules/pg': undefined }],
] as const)('a package that is %s asks for an installation', async ([, change]) => {
  await record({ ...installed, ...change });
  expect(isInstalled(workspace.path)).toBe(false);
});

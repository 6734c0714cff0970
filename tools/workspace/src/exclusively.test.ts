import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exclusively } from './exclusively.mjs';
import { ScratchWorkspace } from './scratch-workspace.js';

let workspace: ScratchWorkspace;
beforeEach(async () => {
  workspace = await ScratchWorkspace.empty();
});
afterEach(() => workspace.remove());

const module = new URL('exclusively.mjs', import.meta.url).href;

test('of processes at once each works alone', async () => {
  const work = `appendFileSync('log', 'in '); await new Promise((done) => setTimeout(done, 20)); appendFileSync('log', 'out ');`;
  const program = `import { appendFileSync } from 'node:fs'; import { exclusively } from '${module}'; await exclusively('.nx/lock', async () => { ${work} });`;
  await Promise.all([1, 2, 3].map(() => execa({ cwd: workspace.path })('node', ['--input-type=module', '--eval', program])));
  expect(await workspace.read('log')).toBe('in out in out in out ');
});

test('a lock whose process was killed is taken over', async () => {
  const holder = `import { exclusively } from '${module}'; await exclusively('.nx/lock', async () => { process.kill(process.pid, 'SIGKILL'); });`;
  await execa({ cwd: workspace.path, reject: false })('node', ['--input-type=module', '--eval', holder]);
  expect(Number(await workspace.read('.nx/lock'))).toBeGreaterThan(0);
  let ran = false;
  await exclusively(`${workspace.path}/.nx/lock`, async () => {
    ran = true;
  });
  expect(ran).toBe(true);
});

test('work that fails gives the lock back', async () => {
  const lock = `${workspace.path}/.nx/lock`;
  await expect(exclusively(lock, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
  await expect(exclusively(lock, async () => {})).resolves.toBeUndefined();
});

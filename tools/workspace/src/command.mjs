import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { exclusively } from './exclusively.mjs';
import { handOver } from './hand-over.mjs';
import { install } from './install.mjs';
import { nxCommand } from './nx-command.mjs';
import { StepFailed, quietly } from './quiet-command.mjs';
import { testEverything } from './test-run.mjs';

const usage = 'Usage: bootstrap.mjs start [args] | run FILE [args] | test';

/**
 * One of the modes of bootstrap.mjs.
 * @param {string} root the workspace
 * @param {string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function command(root, [mode, ...args]) {
  try {
    if (mode === 'start') return await prepareAndRun(root, 'tools/dev-stack/dist/main.js', args);
    if (mode === 'run' && args[0] !== undefined) return await prepareAndRun(root, args[0], args.slice(1));
    if (mode === 'test' && args.length === 0) {
      await exclusively(lockOf(root), () => install(root));
      return await testEverything(root);
    }
    console.error(usage);
    return 2;
  } catch (error) {
    if (error instanceof StepFailed) return 1;
    throw error;
  }
}

/** @param {string} root @param {string} file relative to the root @param {string[]} args */
async function prepareAndRun(root, file, args) {
  await exclusively(lockOf(root), async () => {
    await install(root);
    await quietly({ title: 'Building', ...nxCommand(root, ['run-many', '--targets=build']), cwd: root });
  });
  const path = isAbsolute(file) ? file : join(root, file);
  if (!existsSync(path)) {
    console.error(`${file} does not exist, although everything is built.`);
    return 1;
  }
  return handOver(path, args);
}

/** @param {string} root */
const lockOf = (root) => join(root, '.nx/prepare.lock');

import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * How to run nx so that it behaves alike everywhere: no daemon, no terminal interface, plain text.
 * @param {string} root @param {string[]} args
 * @returns {{ command: string, args: string[], env: NodeJS.ProcessEnv }}
 */
export function nxCommand(root, args) {
  const nx = createRequire(join(root, 'package.json')).resolve('nx/bin/nx.js');
  // nx asks its tasks for colours unless told otherwise, and Node complains on stderr when NO_COLOR contradicts it.
  const { NO_COLOR: _, ...env } = process.env;
  return {
    command: process.execPath,
    // The output style is said, because nx picks another when it believes that a program drives it.
    args: [nx, ...args, '--output-style=static-failures-only', '--parallel=2'],
    // Without a process of its own for each built-in plugin it starts in half the time.
    env: { ...env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
  };
}

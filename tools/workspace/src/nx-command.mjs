import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * How to run nx so that it behaves alike everywhere: no daemon, no terminal interface, plain text.
 * @param {string} root @param {string[]} args
 * @returns {{ command: string, args: string[], env: NodeJS.ProcessEnv }}
 */
export function nxCommand(root, args) {
  const nx = createRequire(join(root, 'package.json')).resolve('nx/bin/nx.js');
  // The output style is said, because nx picks another when it believes that a program drives it.
  const style = '--output-style=static-failures-only';
  return { command: process.execPath, args: [nx, ...args, style, '--parallel=2'], env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NO_COLOR: '1' } };
}

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a Node program in the foreground, as if it had been started instead of this process: its input and output, its signals, its
 * exit code (128 + n when signal n ended it).
 * @param {string} file @param {string[]} args
 * @returns {Promise<number>}
 */
export function handOver(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      // Ctrl-C in a terminal reaches the whole foreground group: passing it on would be a second one.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])) process.on(signal, pass);
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

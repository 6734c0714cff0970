import { spawn } from 'node:child_process';

/** A step that failed; its output has been shown. */
export class StepFailed extends Error {}

/**
 * Runs a command that has nothing to say unless it fails: one line with a title and the time that it took, its output only on failure.
 * @param {{ title: string, command: string, args: string[], cwd: string, env?: NodeJS.ProcessEnv }} step
 * @returns {Promise<void>} rejects with StepFailed
 */
export async function quietly({ title, command, args, cwd, env = process.env }) {
  const started = Date.now();
  process.stdout.write(`${title} ... `);
  const { code, output } = await captured(command, args, { cwd, env });
  if (code === 0) {
    process.stdout.write(`${seconds(Date.now() - started)}\n`);
    return;
  }
  process.stdout.write(`failed\n${output.trimEnd()}\n`);
  throw new StepFailed(`${title} failed`);
}

/** @param {number} ms */
export const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * Runs a command to its end without input; a signal that ends this process reaches it, too.
 * @param {string} command @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, onText?: (text: string) => void }} o
 * @returns {Promise<{ code: number, output: string }>}
 */
export function captured(command, args, { cwd, env, onText = () => {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        onText(text);
      });
    }
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      child.kill(signal);
    };
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
    for (const signal of signals) process.on(signal, end);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of signals) process.off(each, end);
      resolve({ code: code ?? (signal === null ? 1 : 128), output });
    });
  });
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { nxCommand } from './nx-command.mjs';
import { captured } from './quiet-command.mjs';

/**
 * @typedef {{ project: string, target: string, status: 'success' | 'cached' | 'failure', ms: number }} Task
 * @typedef {{ onSuccess: (project: string, target: string) => void, onFailure: (project: string, target: string, output: string) => void }} Watcher
 */

/**
 * Runs targets of all projects and says what became of each task, as it happens and at the end. A task whose dependency failed is
 * not among them: it did not run.
 * @param {string} root @param {string[]} targets @param {Watcher} watcher
 * @returns {Promise<{ code: number, output: string, tasks: Task[] }>} `output`: what nx printed; no tasks when it could not even begin
 */
export async function runTasks(root, targets, watcher) {
  const profile = `.nx/tasks-${process.pid}.json`;
  const { command, args, env } = nxCommand(root, ['run-many', `--targets=${targets.join(',')}`]);
  const reader = new OutputReader(watcher);
  try {
    const { code, output } = await captured(command, args, {
      cwd: root,
      // NX_PROFILE is relative to the working directory, whatever it looks like.
      env: { ...env, NX_PROFILE: profile, NX_SKIP_LOG_GROUPING: 'true' },
      onText: (text) => reader.push(text),
    });
    reader.end();
    return { code, output, tasks: readProfile(join(root, profile)) };
  } finally {
    rmSync(join(root, profile), { force: true });
  }
}

/**
 * Finds the tasks in what nx prints with the output style static-failures-only: a line for a success, a block for a failure.
 */
export class OutputReader {
  /** @type {Watcher} */ #watcher;
  #rest = '';
  /** @type {{ project: string, target: string, lines: string[] } | undefined} */ #failing;

  /** @param {Watcher} watcher */
  constructor(watcher) {
    this.#watcher = watcher;
  }

  /** @param {string} text */
  push(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  end() {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
    this.#close();
  }

  /** @param {string} line */
  #line(line) {
    // Some programs insist on colours, and nx's pseudo terminal on carriage returns.
    this.#plainLine(stripVTControlCharacters(line).trimEnd());
  }

  /** @param {string} line */
  #plainLine(line) {
    const task = /^(✔ |[✖❌] >|>) +nx run (\S+):([^\s:]+)( |$)/.exec(line);
    if (task !== null || /^( NX  |Performance Profile: )/.test(line)) this.#close();
    const [, mark, project, target] = task ?? [];
    if (project === undefined || target === undefined) this.#failing?.lines.push(line);
    else if (mark === '✔ ') this.#watcher.onSuccess(project, target);
    else this.#failing = { project, target, lines: [] };
  }

  #close() {
    const failed = this.#failing;
    this.#failing = undefined;
    if (failed !== undefined) this.#watcher.onFailure(failed.project, failed.target, failed.lines.join('\n').trim());
  }
}

/** @param {string} path @returns {Task[]} */
function readProfile(path) {
  if (!existsSync(path)) return [];
  /** @type {{ dur: number, args: { target?: { project: string, target: string }, status?: string } }[]} */
  const events = JSON.parse(readFileSync(path, 'utf8'));
  return events.flatMap(({ dur, args: { target, status } }) => {
    if (target === undefined || status === undefined) return [];
    /** @type {Task['status']} */
    const state = status === 'success' ? 'success' : status.includes('cache') ? 'cached' : 'failure';
    return [{ ...target, status: state, ms: dur / 1000 }];
  });
}

import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import picocolors from 'picocolors';
import { Services } from './connection/services.js';
import { settingsOf, type ConnectionFlags } from './connection/settings.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { plain } from './print/plain.js';
import { indented } from './print/table.js';
import type { Terminal } from './terminal.js';

/** One command line while it runs: whom to ask, and how to say what came of it. */
export class Session {
  readonly services: Services;
  readonly ink: ReturnType<typeof picocolors.createColors>;
  readonly #terminal: Terminal;
  readonly #root: Command;
  /** What the process ends with unless something is thrown. */
  exitCode: ExitCode = exitCodes.done;

  constructor(terminal: Terminal, root: Command) {
    this.#terminal = terminal;
    this.#root = root;
    this.services = new Services(() => settingsOf(root.opts<ConnectionFlags>(), terminal.env));
    // https://no-color.org: set, and not empty.
    this.ink = picocolors.createColors(terminal.colour && !terminal.env['NO_COLOR']);
  }

  get json(): boolean {
    return this.#root.opts<{ json?: boolean }>().json === true;
  }

  /** Who asks, where certificates do not say. */
  get actor(): string {
    return this.#terminal.actor ?? `${userName(this.#terminal.env)}@${hostname()}`;
  }

  /** Ends with Ctrl-C and SIGTERM, so that a wait ends in good order. */
  interrupted(): AbortSignal {
    return this.#terminal.interrupt?.() ?? new AbortController().signal;
  }

  /** What was asked for: for programs, or for people. */
  print(data: unknown, text: () => string): void {
    this.#terminal.out(this.json ? JSON.stringify(plain(data), null, 2) : text());
  }

  /** One of many: a line of JSON each for programs. */
  printOne(data: unknown, text: () => string): void {
    this.#terminal.out(this.json ? JSON.stringify(plain(data)) : text());
  }

  /** How it is going, beside what was asked for. */
  tell(text: string): void {
    this.#terminal.err(text);
  }

  /** A command as it is to be typed to reach the same services. */
  typed(command: string): string {
    const [, rest] = /^leasehold (.*)$/s.exec(command) ?? [];
    if (rest === undefined) return command;
    const given = this.#root.options.filter(({ long }) => long !== '--json' && this.#root.getOptionValueSource(camelCase(long ?? '')) === 'cli');
    const flags = given.map(({ long }) => `${long} ${quoted(String(this.#root.getOptionValue(camelCase(long ?? ''))))}`);
    return [this.#terminal.command ?? 'leasehold', rest, ...flags].join(' ');
  }

  /** What to type next, under a heading; empty when there is nothing. */
  next(commands: readonly string[]): string {
    return commands.length === 0 ? '' : `${this.ink.bold('next')}\n${indented(commands.map((command) => this.typed(command)).join('\n'))}`;
  }
}

const camelCase = (long: string): string => long.replace(/^--/, '').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** For a shell, where it needs to be. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// An account without a name, as in a container under a foreign number, makes userInfo throw.
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] || 'somebody';
  }
}

import type { Terminal } from '../terminal.js';

/** Lines with the time since the first one. */
export class Timeline {
  readonly #terminal: Terminal;
  #startedAt: number | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * @param what a word or two
   * @param at ms since 1970: processes on one machine share that clock
   */
  add(what: string, detail: string, at = Date.now()): void {
    this.#startedAt ??= at;
    const { colours } = this.#terminal;
    const time = (Math.max(0, at - this.#startedAt) / 1000).toFixed(2).padStart(6);
    this.#terminal.line(`  ${colours.dim(`${time} s`)}  ${colours.bold(what.padEnd(15))}  ${detail}`);
  }
}

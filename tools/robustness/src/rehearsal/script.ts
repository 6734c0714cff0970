import Table from 'cli-table3';
import type { CommandLine } from './command-line.js';

/** What was asked, what should have been answered, and what was. */
export interface Entry {
  readonly act: string;
  readonly asked: string;
  readonly expected: string;
  readonly answered: string;
  readonly asExpected: boolean;
}

/** What a command must answer: its exit code, and words that its output must hold. */
export interface Expectation {
  readonly code: number;
  readonly says?: readonly (string | RegExp)[];
}

const meaning: Readonly<Record<number, string>> = { 0: 'yes', 1: 'no', 2: 'unknown', 64: 'usage' };
const indented = (text: string): string => text.split('\n').map((line) => `    ${line}`).join('\n');

/** Performs before the reader's eyes, and keeps the books. */
export class Script {
  readonly #leasehold: CommandLine;
  readonly #print: (text: string) => void;
  readonly #entries: Entry[] = [];
  #act = '';

  constructor(leasehold: CommandLine, print: (text: string) => void) {
    this.#leasehold = leasehold;
    this.#print = print;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Begins an act. */
  act(title: string): void {
    this.#act = title;
    this.#print(`\n== ${title}`);
  }

  say(text: string): void {
    this.#print(`\n   ${text}`);
  }

  /** Runs a command and shows what it prints. @returns its output */
  async ask(args: readonly string[], expected: Expectation): Promise<string> {
    const asked = `leasehold ${args.map((arg) => (/[\s"]/.test(arg) ? JSON.stringify(arg) : arg)).join(' ')}`;
    this.#print(`\n   $ ${asked}`);
    const { code, text } = await this.#leasehold.run(...args);
    this.#print(indented(text));
    const missing = (expected.says ?? []).filter((words) => (typeof words === 'string' ? !text.includes(words) : !words.test(text)));
    this.#enter({
      asked, expected: [meaning[expected.code] ?? String(expected.code), ...(expected.says ?? []).map(String)].join('; '),
      answered: [meaning[code] ?? String(code), ...missing.map((words) => `no word of ${String(words)}`)].join('; '), asExpected: code === expected.code && missing.length === 0,
    });
    return text;
  }

  /** Looks at something that no command shows. */
  check(what: string, expected: unknown, answered: unknown): void {
    const [want, have] = [JSON.stringify(expected), JSON.stringify(answered)];
    this.#print(`\n   ${what}: ${have}`);
    this.#enter({ asked: what, expected: want, answered: have, asExpected: want === have });
  }

  /** What was asked, expected and answered, as a table. */
  table(): string {
    const table = new Table({ head: ['', 'asked', 'expected', 'answered'], style: { head: [], border: [] }, wordWrap: true, colWidths: [4, 62, 40, 30] });
    for (const { asked, expected, answered, asExpected } of this.#entries) table.push([asExpected ? 'ok' : '!!', asked, expected, asExpected ? 'the same' : answered]);
    return table.toString();
  }

  #enter(entry: Omit<Entry, 'act'>): void {
    this.#entries.push({ act: this.#act, ...entry });
    if (!entry.asExpected) this.#print(`   !! expected ${entry.expected}, got ${entry.answered}`);
  }
}

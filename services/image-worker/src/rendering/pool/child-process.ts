import { spawn, type ChildProcess } from 'node:child_process';
import { Duplex } from 'node:stream';
import { frameHead, FrameReader, type Frame } from './frame.js';
import { answerOf, type Answer, type Order } from './messages.js';

/** How a child ended. The words are the last that it printed. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly words: string;

  constructor(o: { code: number | null; signal: NodeJS.Signals | null; words: string; cause?: unknown }) {
    super(o.signal === null ? `the child ended with exit code ${o.code}` : `the child was ended by ${o.signal}`, { cause: o.cause });
    this.code = o.code;
    this.signal = o.signal;
    this.words = o.words;
  }
}

export interface ChildOptions {
  /** What node runs: calls serve(). */
  readonly program: string;
  /** How much memory the child may take, in bytes: an allocation above it fails, and with it the picture or the child. Not on macOS, which knows no such limit. */
  readonly memoryBytes: number;
}

/** What a child answers an order with. */
export type Made = Extract<Answer, { kind: 'made' | 'refused' | 'failed' }>;

// Set where the kernel enforces them: RLIMIT_DATA bounds what a process allocates (RLIMIT_AS would count V8's reservations, which are far larger than
// what it uses). No core file: it would hold a stranger's pixels. A limit that is lower already stays.
const withLimits = 'ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift; exec "$@"';
const nodeFlags = ['--max-old-space-size=128', '--max-semi-space-size=1', '--no-warnings'];
// All of it: the coordinators' addresses, the store's keys and whatever else the worker knows stay with the worker. Besides the main thread, which reads and
// writes, a child has one picture on one thread; one arena of glibc's heap instead of one per thread keeps a third of its memory.
const environment = { UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '1' };
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
const WORDS = 2000;

/** One child process and the one picture that it has at a time. Ends with this process, whatever either of them is doing. */
export class PoolChild {
  readonly pid: number | undefined;
  /** Resolves when it can take an order; rejects with ChildEnded when it never could. */
  readonly ready: Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<ChildEnded>;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #reader = new FrameReader(MOST_ANSWER_BYTES);
  #words = '';
  #babbles = false;
  #onAnswer: ((answer: Answer, body: Buffer) => void) | undefined;

  constructor({ program, memoryBytes }: ChildOptions) {
    const command = [withLimits, 'picture-child', String(Math.ceil(memoryBytes / 1024)), process.execPath, ...nodeFlags, program];
    // 3 is the pipe for the work; 4 only tells the child that this process is there.
    this.#child = spawn('/bin/sh', ['-c', ...command], { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
    this.pid = this.#child.pid;
    const [, , , pipe, lifeline] = this.#child.stdio;
    if (!(pipe instanceof Duplex)) throw new TypeError('no pipe to the child');
    this.#pipe = pipe;
    for (const end of [pipe, lifeline]) end?.on('error', () => undefined); // broken when the child ends; its end says so
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => { this.#words = (this.#words + text).slice(-WORDS); });
    pipe.on('data', (bytes: Buffer) => this.#read(bytes));
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (cause) => resolve(new ChildEnded({ code: null, signal: null, words: '', cause })));
      this.#child.once('exit', (code, signal) => resolve(new ChildEnded({ code, signal, words: this.#words })));
    });
    this.ready = this.#answered(() => undefined, ({ kind }) => (kind === 'ready' ? true : undefined)).then(() => undefined);
    this.ready.catch(() => undefined); // also when nobody waits for it
  }

  /** Gives it a picture; it must have none. Rejects with ChildEnded when the child ends before it has answered. */
  async make(order: Order, picture: Buffer, onJudged: () => void): Promise<{ answer: Made; body: Buffer }> {
    return this.#answered(() => {
      this.#pipe.write(frameHead(order, picture.length));
      this.#pipe.write(picture);
    }, (answer, body) => {
      if (answer.kind === 'judged') onJudged();
      return answer.kind === 'judged' || answer.kind === 'ready' ? undefined : { answer, body };
    });
  }

  /** Ends it at once, whatever it is doing. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #answered<T>(ask: () => void, take: (answer: Answer, body: Buffer) => T | undefined): Promise<T> {
    const answer = new Promise<T>((resolve) => {
      this.#onAnswer = (header, body) => {
        const taken = take(header, body);
        if (taken !== undefined) resolve(taken);
      };
    });
    ask();
    try {
      return await Promise.race([answer, this.ended.then((end) => { throw end; })]);
    } finally {
      this.#onAnswer = undefined;
    }
  }

  #read(bytes: Buffer): void {
    if (this.#babbles) return;
    try {
      for (let at = 0; at < bytes.length;) {
        const taken = bytes.copy(this.#reader.wanted, 0, at);
        at += taken;
        const frame: Frame | undefined = this.#reader.filled(taken);
        if (frame !== undefined) this.#onAnswer?.(answerOf(frame.header), frame.body);
      }
    } catch (error) {
      // What speaks another language than a child's is not a child any more; nor is what it says next.
      this.#babbles = true;
      this.#words = `${error instanceof Error ? error.message : String(error)}\n${this.#words}`.slice(0, WORDS);
      this.kill();
    }
  }
}

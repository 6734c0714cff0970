import type { Clock, Logger } from '@leasehold/service';
import { withinTime } from '@leasehold/worker-runtime';
import { PhotoFault, tooLate } from '../../reasons.js';
import type { MakingOptions } from '../photo-making.js';
import type { MadePhoto } from '../picture-order.js';
import { ChildEnded, PoolChild, type ChildOptions } from './child-process.js';
import { photoOf } from './made-photo.js';

export interface SlotOptions extends ChildOptions {
  /** How long a picture may take, in ms. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  onReplaced(cause: EndCause): void;
}

/** Why a child was replaced: its picture took too long, its run was told to stop, or it ended by itself. */
export type EndCause = 'timeout' | 'stopped' | 'died';

const START_TIMEOUT_MS = 30_000;
const BACKOFF = { baseMs: 500, maxMs: 30_000 };

/**
 * A place for one child. A child that has ended is replaced, at once when it could work and after a growing while when it could not even start.
 *
 *   starting ─ready─▶ idle ─make─▶ busy ─answer─▶ idle      starting, idle, busy ─ended, too late, told to stop─▶ starting      any ─stop─▶ stopped
 */
export class Slot {
  readonly #o: SlotOptions;
  readonly #stopped = new AbortController();
  #child: Promise<PoolChild> | undefined;
  #running: PoolChild | undefined;
  #cause: EndCause = 'died';
  #failures = 0;

  constructor(o: SlotOptions) {
    this.#o = o;
  }

  /** Children that could not start in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Resolves when there is a child that can work. Throws PhotoFault INTERNAL when none could be started. */
  async start(): Promise<void> {
    await this.#ready();
  }

  /** One picture; the slot must have none. Throws PhotoFault, the signal's reason, and for a surprise within the child a plain Error. */
  async make(bytes: Buffer, { order, limits, onJudged, signal }: MakingOptions & { readonly signal: AbortSignal }): Promise<MadePhoto> {
    const child = await this.#ready();
    signal.throwIfAborted();
    const { clock, timeoutMs } = this.#o;
    return withinTime({ clock, limitMs: timeoutMs, signal, late: tooLate('decoding and encoding', timeoutMs) }, async (either) => {
      const end = (): void => this.#end(child, signal.aborted ? 'stopped' : 'timeout');
      either.addEventListener('abort', end, { once: true });
      try {
        const { answer, body } = await child.make({ order, limits }, bytes, () => onJudged?.());
        return photoOf(answer, body, order);
      } catch (error) {
        if (!(error instanceof ChildEnded)) throw error;
        either.throwIfAborted();
        throw new PhotoFault('INTERNAL', error.message, { cause: error });
      } finally {
        either.removeEventListener('abort', end);
      }
    });
  }

  /** Ends its child and waits until it has ended. Nothing starts any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#running?.kill();
    await this.#running?.ended;
  }

  #ready(): Promise<PoolChild> {
    return (this.#child ??= this.#started());
  }

  async #started(): Promise<PoolChild> {
    const { clock, program, memoryBytes } = this.#o;
    try {
      if (this.#failures > 0) await clock.wait(Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** (this.#failures - 1)), this.#stopped.signal);
      this.#stopped.signal.throwIfAborted();
      const child = (this.#running = new PoolChild({ program, memoryBytes }));
      await withinTime({ clock, limitMs: START_TIMEOUT_MS, signal: this.#stopped.signal, late: tooLate('the start of a child', START_TIMEOUT_MS) }, async (either) => {
        either.addEventListener('abort', () => child.kill(), { once: true });
        await child.ready;
      });
      this.#failures = 0;
      this.#cause = 'died';
      void child.ended.then((end) => this.#ended(end));
      return child;
    } catch (cause) {
      this.#failures += 1;
      this.#child = undefined;
      if (!this.#stopped.signal.aborted) this.#o.logger.error({ event: 'child_not_started', failures: this.#failures, err: cause, words: wordsOf(cause) }, 'no child to decode pictures could be started');
      throw new PhotoFault('INTERNAL', 'no child could be started', { cause });
    }
  }

  #end(child: PoolChild, cause: EndCause): void {
    this.#cause = cause;
    child.kill();
  }

  #ended({ code, signal, words }: ChildEnded): void {
    this.#child = undefined;
    if (this.#stopped.signal.aborted) return;
    const level = this.#cause === 'stopped' ? 'info' : 'warn';
    this.#o.logger[level]({ event: 'child_replaced', cause: this.#cause, code, signal, words }, 'a child that decodes pictures has ended and is replaced');
    this.#o.onReplaced(this.#cause);
    this.#ready().catch(() => undefined); // logged, and tried again for the next picture
  }
}

const wordsOf = (error: unknown): string | undefined => (error instanceof ChildEnded ? error.words : undefined);

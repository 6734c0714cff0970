import { systemClock, type Clock, type Component, type Logger, type Readiness } from '@leasehold/service';
import { Counter, type Registry } from 'prom-client';
import { PhotoFault } from '../../reasons.js';
import type { MakingOptions } from '../photo-making.js';
import type { MadePhoto } from '../picture-order.js';
import { Slot } from './slot.js';

export interface PicturePoolOptions {
  /** What the children run. */
  readonly program: string;
  /** Children, and so pictures at once. */
  readonly children: number;
  /** How long a picture may take in its child, in ms. */
  readonly timeoutMs: number;
  /** How much memory one child may take, in bytes. */
  readonly memoryBytes: number;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly clock?: Clock;
}

interface Waiting {
  readonly take: (slot: Slot) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Makes photos in child processes, so that a file that crashes, hangs or bloats its decoder costs its own run and no other. First come, first
 * served; a picture that finds no child free waits.
 */
export class PicturePool implements Component {
  readonly name = 'picture-pool';
  readonly #slots: readonly Slot[];
  readonly #idle: Slot[];
  readonly #waiting = new Set<Waiting>();
  #stopped = false;

  /** Acts on nothing but the registry: children start with start(), or with the first picture. */
  constructor({ program, children, timeoutMs, memoryBytes, logger, registry, clock = systemClock }: PicturePoolOptions) {
    const replaced = new Counter({
      name: 'leasehold_image_children_replaced_total', help: 'Children that decode pictures and ended: too late, told to stop, or by themselves', labelNames: ['cause'], registers: [registry],
    });
    this.#slots = Array.from({ length: children }, () => new Slot({ program, memoryBytes, timeoutMs, clock, logger, onReplaced: (cause) => replaced.inc({ cause }) }));
    this.#idle = [...this.#slots];
  }

  /** Rejects when a child cannot be started: a worker without its decoder is of no use. */
  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.start()));
  }

  /** Ends every child at once. Pictures under way or waiting are INTERNAL: stop what gives them first. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { refuse } of this.#waiting) refuse(stops());
    this.#waiting.clear();
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }

  readiness(): Readiness {
    const failing = this.#slots.filter((slot) => slot.failures > 0).length;
    return failing === 0 ? { name: this.name, ok: true } : { name: this.name, ok: false, detail: `${failing} of ${this.#slots.length} children cannot be started` };
  }

  /**
   * The pictures of one source, see MakePhoto. Throws also PhotoFault TIMEOUT when it takes too long in its child, INTERNAL when the child ends, and the signal's reason
   * when it fires; the child is then ended and replaced.
   */
  async make(bytes: Buffer, o: MakingOptions & { readonly signal: AbortSignal }): Promise<MadePhoto> {
    const slot = await this.#free(o.signal);
    try {
      return await slot.make(bytes, o);
    } finally {
      this.#release(slot);
    }
  }

  async #free(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    if (this.#stopped) throw stops();
    const idle = this.#idle.shift();
    if (idle !== undefined) return idle;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const done = (): void => signal.removeEventListener('abort', leave);
      const waiting: Waiting = { take: (slot) => { done(); resolve(slot); }, refuse: (error) => { done(); reject(error); } };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #release(slot: Slot): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      waiting.take(slot);
      return;
    }
    this.#idle.push(slot);
  }
}

const stops = (): PhotoFault => new PhotoFault('INTERNAL', 'the worker stops');

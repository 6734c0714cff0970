import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { systemClock, type Clock } from './clock.js';
import { dutyMetrics, type DutyMetrics } from './duty-metrics.js';
import type { Component } from './lifecycle.js';

export interface DutyOptions {
  /** Unique within the process; a label of its metrics. */
  name: string;
  /** How long to wait after a run that found nothing more to do. Greater than 0. */
  everyMs: number;
  /** One run. More than 0 means that there is more to do. Must come to an end soon after `signal` aborts. */
  run: (signal: AbortSignal) => Promise<number | void>;
  logger: Logger;
  registry: Registry;
  clock?: Clock;
}

/**
 * A background loop: run, wait everyMs or for wake(), run again. Runs never overlap. The first comes at once after start().
 *
 * An error is logged and counted and the loop goes on, after a delay that doubles with every further error: from everyMs (1 s at most) up to
 * ten times everyMs (30 s at most, but never less than everyMs). wake() does not shorten that delay, or a stream of wake-ups would turn an
 * outage into a busy loop; it is remembered instead. A Duty that was stopped does not start again.
 */
export class Duty implements Component {
  readonly name: string;
  readonly #o: DutyOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: DutyMetrics;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #woken = false;
  #endWait: (() => void) | undefined;

  constructor(o: DutyOptions) {
    if (!(o.everyMs > 0)) throw new RangeError(`${o.name}: everyMs must be greater than 0`);
    this.name = o.name;
    this.#o = o;
    this.#clock = o.clock ?? systemClock;
    this.#log = o.logger.child({ duty: o.name });
    this.#metrics = dutyMetrics(o.registry);
  }

  async start(): Promise<void> {
    if (this.#stopping.signal.aborted) throw new Error(`${this.name} was stopped and cannot start again`);
    this.#loop ??= this.#run();
  }

  /** Asks for a run soon. Any number of calls before that run begins ask for the same one; a call during a run asks for one more. */
  wake(): void {
    this.#woken = true;
    this.#endWait?.();
  }

  /** Aborts the signal of the run under way, if there is one, and resolves when that run has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new DOMException(`${this.name} is stopping`, 'AbortError'));
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let errors = 0;
    while (!signal.aborted) {
      this.#woken = false;
      try {
        const more = await this.#runOnce(signal);
        errors = 0;
        // A run that never waits for anything would otherwise keep everything else from running.
        if (more) await nextTurn();
        else await this.#waitOrWake(this.#o.everyMs);
      } catch (err) {
        if (signal.aborted) {
          this.#log.debug({ event: 'duty_interrupted', err }, 'ended early, as it was stopped');
          return;
        }
        errors += 1;
        const retryInMs = backoffMs(this.#o.everyMs, errors);
        this.#log.error({ event: 'duty_failed', err, errors_in_a_row: errors, retry_in_ms: retryInMs }, 'will try again');
        await this.#clock.wait(retryInMs, signal).catch(() => undefined);
      }
    }
  }

  async #runOnce(signal: AbortSignal): Promise<boolean> {
    const startedAt = this.#clock.now();
    let outcome = 'error';
    try {
      const more = await this.#o.run(signal);
      outcome = 'ok';
      return typeof more === 'number' && more > 0;
    } finally {
      if (outcome === 'ok' || !signal.aborted) this.#metrics.ran(this.name, outcome, (this.#clock.now() - startedAt) / 1000);
    }
  }

  async #waitOrWake(ms: number): Promise<void> {
    if (this.#woken) return nextTurn();
    const woken = new AbortController();
    this.#endWait = () => woken.abort();
    // Either abort ends the wait early, which is all that is asked of it.
    await this.#clock.wait(ms, AbortSignal.any([woken.signal, this.#stopping.signal])).catch(() => undefined);
    this.#endWait = undefined;
  }
}

function backoffMs(everyMs: number, errors: number): number {
  const longest = Math.max(everyMs, Math.min(everyMs * 10, 30_000));
  return Math.min(longest, Math.min(everyMs, 1000) * 2 ** Math.min(errors - 1, 30));
}

import type { Logger } from 'pino';
import { systemClock, type Clock } from './clock.js';
import type { Readiness } from './readiness.js';
import { stopWithin, type StopOutcome, type StopWork } from './stop-within.js';

/** A part of a process that runs: a server, a pool, a loop. Its constructor does not act. */
export interface Component {
  readonly name: string;
  /** Idempotent: a second call does not start it twice. */
  start(): Promise<void>;
  /**
   * Safe twice, and before start. When `deadline` aborts, what is still under way must be cut off; whoever has not returned a moment later
   * counts as hung and is left behind.
   */
  stop(deadline: AbortSignal): Promise<void>;
}

/** How a stop went, by component name: overran its deadline, threw, or was never waited for as no time was left. All empty: clean. */
export type StopReport = Record<Exclude<StopOutcome, 'stopped'>, string[]>;

const longestGraceMs = 1000;

/**
 * Starts components in the order in which they were added and stops them in the reverse order.
 *
 * States: new ─start─▶ starting ─▶ started; any ─stop, or a start that fails─▶ stopping ─▶ stopped. Nothing leaves stopped.
 *
 * Stopping takes stopTimeoutMs at most, whatever the components do, as long as the event loop turns. Within that, each component gets
 * phaseTimeoutMs before its deadline aborts, and a tenth of stopTimeoutMs (1 s at most) to come to an end after that.
 */
export class Lifecycle {
  readonly phaseTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly #graceMs: number;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #components: Component[] = [];
  #state: 'new' | 'starting' | 'started' | 'stopping' | 'stopped' = 'new';
  #beingStarted: string | undefined;
  #start: Promise<void> | undefined;
  #stop: Promise<StopReport> | undefined;

  constructor(o: { logger: Logger; phaseTimeoutMs: number; stopTimeoutMs: number; clock?: Clock }) {
    this.phaseTimeoutMs = o.phaseTimeoutMs;
    this.stopTimeoutMs = o.stopTimeoutMs;
    this.#graceMs = Math.min(longestGraceMs, o.stopTimeoutMs / 10);
    this.#logger = o.logger;
    this.#clock = o.clock ?? systemClock;
  }

  add(component: Component): this {
    if (this.#state !== 'new') throw new Error(`${component.name} was added after the start`);
    this.#components.push(component);
    return this;
  }

  /** Ready from the end of the start to the beginning of the stop: put it among a service's readiness checks. */
  readiness(): Readiness {
    return { name: 'lifecycle', ok: this.#state === 'started', detail: this.#state };
  }

  /** Where components listen, by name, for those that have an `address`. Empty unless everything is started. */
  addresses(): Record<string, string> {
    if (this.#state !== 'started') return {};
    return Object.fromEntries(this.#components.flatMap((c) => ('address' in c && typeof c.address === 'string' ? [[c.name, c.address]] : [])));
  }

  /**
   * Idempotent. If a component cannot start, all are stopped again and the error is thrown on. When stop() comes first, what is left is not
   * started and start() rejects.
   */
  start(): Promise<void> {
    this.#start ??= this.#startAll();
    return this.#start;
  }

  /**
   * Stops once; later calls get the same report. `first` runs before any component stops and within the same time: the place to take
   * nothing new and to say so.
   */
  stop(o: { first?: () => void | Promise<void> } = {}): Promise<StopReport> {
    this.#stop ??= this.#stopAll(o.first, this.#start);
    return this.#stop;
  }

  async #startAll(): Promise<void> {
    if (this.#state !== 'new') throw new Error('stopped before it was started');
    this.#state = 'starting';
    try {
      for (const component of this.#components) {
        this.#beingStarted = component.name;
        await this.#startOne(component);
        if (this.#stop !== undefined) throw new Error('stopped while it was starting');
      }
      this.#state = 'started';
    } catch (error) {
      // A stop() that came from outside waits for this start: waiting for it here would be a deadlock.
      if (this.#stop === undefined) await (this.#stop = this.#stopAll(undefined, undefined));
      throw error;
    }
  }

  async #startOne(component: Component): Promise<void> {
    const ended = new AbortController();
    // Not an error: a database may take its time. But the log must show what a start waits for.
    void this.#clock.wait(this.phaseTimeoutMs, ended.signal).then(
      () => this.#logger.warn({ event: 'component_start_slow', component: component.name, after_ms: this.phaseTimeoutMs }, 'still starting'),
      () => undefined,
    );
    try {
      await component.start();
    } catch (err) {
      this.#logger.error({ event: 'component_start_failed', component: component.name, err }, 'could not start');
      throw err;
    } finally {
      ended.abort();
    }
  }

  async #stopAll(first: (() => void | Promise<void>) | undefined, start: Promise<void> | undefined): Promise<StopReport> {
    this.#state = 'stopping';
    const stopBy = this.#clock.now() + this.stopTimeoutMs;
    const report: StopReport = { hung: [], failed: [], abandoned: [] };
    const phase = async (name: string, run: StopWork): Promise<void> => {
      const leftMs = stopBy - this.#clock.now();
      const outcome = await stopWithin({ name, run, leftMs, phaseMs: this.phaseTimeoutMs, graceMs: this.#graceMs, logger: this.#logger, clock: this.#clock });
      if (outcome !== 'stopped') report[outcome].push(name);
    };
    if (first !== undefined) await phase('before_stop', first);
    // A component is stopped only after its start has returned, else it could come up again behind the stop.
    if (start !== undefined) await phase(`start of ${this.#beingStarted ?? 'nothing'}`, () => start.catch(() => undefined));
    for (const component of this.#components.toReversed()) await phase(component.name, (deadline) => component.stop(deadline));
    this.#state = 'stopped';
    return report;
  }
}

import { systemClock, type Clock, type Component, type Readiness } from '@leasehold/service';
import { Acquirer } from './acquire/acquirer.js';
import { Bell } from './bell.js';
import { LeaseDesk } from './lease/lease-desk.js';
import { WorkerMetrics } from './metrics.js';
import { Registrar } from './register/registrar.js';
import { Renewer } from './renew/renewer.js';
import { SettleOutbox } from './settle/outbox.js';
import { Settler } from './settle/settler.js';
import { Connections } from './wire/connections.js';
import type { Directive } from './wire/messages.js';
import { checkRanges, type WorkerRuntimeOptions } from './worker-options.js';

/**
 * A worker's side of lease.v1: takes leases for one kind, keeps them alive, runs the handler on them and settles them.
 *
 * States: new ─start─▶ taking ─drain, DRAIN, stop─▶ draining ─all settled─▶ drained ─stop─▶ stopped. What happens to a lease within is
 * drawn in lease/lease-book.ts.
 */
export class WorkerRuntime<Model, Result = Uint8Array> implements Component {
  readonly name = 'worker-runtime';
  /** Resolves when a drain is over: nothing runs, every settlement was answered, and the worker has taken its leave. */
  readonly drained: Promise<void>;
  readonly #o: WorkerRuntimeOptions<Model, Result>;
  readonly #clock: Clock;
  readonly #bell: Bell;
  readonly #desk: LeaseDesk<Model, Result>;
  readonly #registrar: Registrar;
  readonly #acquirer: Acquirer<Model, Result>;
  readonly #renewer: Renewer<Model, Result>;
  readonly #settlers: readonly Settler<Model, Result>[];
  readonly #halted = new AbortController();
  readonly #announceDrained: () => void;
  #loops: Promise<unknown> | undefined;
  #start: Promise<void> | undefined;
  #stop: Promise<void> | undefined;
  #draining: Promise<void> | undefined;
  #misfit: Error | undefined;

  /** @throws RangeError for values outside of their ranges; registers nothing else than metrics */
  constructor(o: WorkerRuntimeOptions<Model, Result>) {
    checkRanges(o);
    this.#o = o;
    const clock = (this.#clock = o.clock ?? systemClock);
    const random = o.random ?? Math.random;
    const { logger } = o;
    const { kind, contracts } = o.handler;
    const versions = [...contracts.keys()].toSorted((a, b) => a - b);
    const bell = (this.#bell = new Bell(clock));
    const metrics = new WorkerMetrics(o.registry, kind);
    const connections = new Connections(o.clients, clock);
    const outbox = new SettleOutbox();
    const registrar = (this.#registrar = new Registrar({
      kind, versions, build: o.build, concurrency: o.concurrency, marginMs: o.marginMs, minRunMs: o.minRunMs, connections, logger,
    }));
    const desk = (this.#desk = new LeaseDesk({
      handler: o.handler, concurrency: o.concurrency, prefetch: o.prefetch, marginMs: o.marginMs, stuckAfterMs: o.stuckAfterMs ?? 30_000,
      needs: () => registrar.policy?.needs ?? { trustMs: 0, runMs: 0 },
      outbox, clock, logger, metrics, onChange: () => bell.ring(),
    }));
    const onDirective = (directive: Directive, workerId: string): void => this.#obey(directive, workerId);
    const part = () => ({ desk, registrar, connections, waiter: bell.waiter(), clock, logger, random });
    this.#acquirer = new Acquirer({
      ...part(), kind, versions, waitMs: o.acquireWaitMs ?? 20_000, onDirective, onRegistered: () => bell.ring(), onMisfit: (error) => this.#refuse(error),
    });
    this.#renewer = new Renewer({ ...part(), progressEveryMs: o.progressEveryMs ?? 2000, metrics, onDirective });
    this.#settlers = [0, 1].map(() => new Settler({ ...part(), outbox }));
    const { promise, resolve } = withResolvers();
    this.drained = promise;
    this.#announceDrained = resolve;
  }

  /**
   * Registers and begins to take jobs. When no coordinator answers within `startTimeoutMs` it returns all the same, and goes on trying;
   * `readiness` tells.
   * @throws LeaseTooShort, KindUnknown: the configuration does not fit what the coordinator says of the kind
   */
  start(): Promise<void> {
    this.#start ??= this.#begin();
    return this.#start;
  }

  /** Takes nothing new, hands back what has not started, lets running jobs finish. `drained` resolves at its end. Idempotent. */
  drain(): void {
    this.#draining ??= this.#drain().finally(this.#announceDrained);
  }

  /**
   * Drains, then stops. When `deadline` aborts first, it stops at once: leases that are left expire.
   */
  stop(deadline: AbortSignal): Promise<void> {
    this.#stop ??= this.#end(deadline);
    return this.#stop;
  }

  /** Ready while it is registered and takes jobs. */
  readiness(): Readiness {
    const { taken } = this.#desk.runs();
    const stuck = this.#desk.stuckRuns();
    if (this.#misfit !== undefined) return { name: this.name, ok: false, detail: this.#misfit.message };
    if (this.#draining !== undefined) return { name: this.name, ok: false, detail: `draining, ${taken} running` };
    if (this.#registrar.policy === undefined) return { name: this.name, ok: false, detail: 'no coordinator has answered the registration' };
    return { name: this.name, ok: stuck < this.#o.concurrency, detail: `${taken} running, ${stuck} stuck` };
  }

  async #begin(): Promise<void> {
    if (this.#stop !== undefined) throw new Error('stopped before it was started');
    const loops = [this.#acquirer.run(), this.#renewer.run(), this.#watch(), ...this.#settlers.map((s) => s.run())];
    this.#loops = Promise.all(loops);
    await this.#until(() => this.#registrar.policy !== undefined || this.#misfit !== undefined || this.#draining !== undefined, this.#o.startTimeoutMs ?? 5000);
    if (this.#misfit !== undefined) throw this.#misfit;
    if (this.#registrar.policy === undefined) this.#o.logger.warn({ event: 'worker_unregistered' }, 'no coordinator has answered yet; the worker goes on trying');
  }

  async #end(deadline: AbortSignal): Promise<void> {
    if (this.#start !== undefined) {
      this.drain();
      const cut = new Promise<void>((resolve) => {
        if (deadline.aborted) resolve();
        else deadline.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([this.drained, cut]);
    }
    this.#halt();
    await this.#loops;
    this.#bell.close();
  }

  #halt(): void {
    this.#desk.abortRuns();
    this.#halted.abort(new Error('the worker has stopped'));
    for (const part of [this.#acquirer, this.#renewer, ...this.#settlers]) part.close();
    this.#bell.ring();
  }

  async #drain(): Promise<void> {
    const { logger, drainTimeoutMs, abortGraceMs } = this.#o;
    logger.info({ event: 'worker_draining', ...this.#desk.runs() }, 'takes nothing new');
    this.#acquirer.close();
    this.#desk.close();
    // Says which acquire calls are given up: what was granted under them goes back to the queue now rather than at its expiry.
    this.#renewer.urge();
    await this.#until(() => this.#desk.runs().holding === 0, drainTimeoutMs);
    if (this.#desk.runs().taken > 0) {
      this.#desk.abortRuns();
      await this.#until(() => this.#desk.runs().taken === 0, abortGraceMs ?? 2000);
      if (this.#desk.runs().taken > 0) logger.error({ event: 'drain_incomplete', ...this.#desk.runs() }, 'runs ignore that they were told to stop; their leases are handed back');
      this.#desk.handBackRuns();
    }
    await this.#until(() => this.#desk.holdsNothing, Infinity);
    if (this.#halted.signal.aborted) return;
    await this.#takeLeave();
    this.#renewer.close();
    logger.info({ event: 'worker_drained' });
  }

  /** Tries each connection once: a worker that is silent is found to be gone anyhow. */
  async #takeLeave(): Promise<void> {
    if (this.#registrar.policy === undefined && this.#misfit === undefined) return;
    for (let tries = 0; tries < this.#o.clients.length && !this.#halted.signal.aborted; tries += 1) {
      try {
        await this.#registrar.deregister(this.#halted.signal);
        return;
      } catch (err) {
        this.#o.logger.warn({ event: 'deregister_failed', err }, 'the leave was not answered');
      }
    }
  }

  #obey(directive: Directive, workerId: string): void {
    // A draining worker does not register anew: it would count as one that takes jobs.
    if (directive === 'reregister' && this.#draining === undefined) this.#registrar.forgotten(workerId);
    if (directive === 'drain') this.drain();
    if (directive !== 'continue') this.#bell.ring();
  }

  #refuse(error: Error): void {
    this.#o.logger.error({ event: 'configuration_refused', err: error }, error.message);
    this.#misfit = error;
    this.drain();
    this.#bell.ring();
  }

  async #watch(): Promise<void> {
    const waiter = this.#bell.waiter();
    while (!this.#halted.signal.aborted) {
      const nextMs = this.#desk.nextDeadline();
      if (nextMs <= this.#clock.now()) this.#desk.tick();
      else await waiter.until(nextMs);
    }
  }

  /** Until `met`, for `ms` at most, or until everything is halted. */
  async #until(met: () => boolean, ms: number): Promise<void> {
    const endMs = this.#clock.now() + ms;
    const waiter = this.#bell.waiter();
    while (!met() && !this.#halted.signal.aborted && this.#clock.now() < endMs) await waiter.until(endMs);
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((r) => (resolve = r));
  return { promise, resolve };
}

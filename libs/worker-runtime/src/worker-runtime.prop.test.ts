import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, ManualClock } from '@leasehold/service';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { JobFault } from './run/job-fault.js';
import { RunAborted } from './run/run-aborted.js';
import type { RunningJob } from './run/job-handler.js';
import { CoordinatorModel } from './testing/coordinator-model.fixture.js';
import { LeaseWitness } from './testing/lease-witness.fixture.js';
import { ScriptedLink, type Parked } from './testing/scripted-link.fixture.js';
import { WorkerRuntime } from './worker-runtime.js';

const MARGIN_MS = 100;
const CONCURRENCY = 2;
const PREFETCH = 2;

interface Run {
  readonly job: RunningJob<string>;
  end(how: Ending): void;
}
type Ending = 'returns' | 'finds the content at fault' | 'fails technically' | 'throws';

/** A worker, a coordinator and two connections between them, with everything that happens in a script's hands. */
class World {
  readonly clock = new ManualClock();
  readonly model = new CoordinatorModel(this.clock);
  readonly runs = new Map<bigint, Run>();
  readonly witness = new LeaseWitness({ clock: this.clock, marginMs: MARGIN_MS, isRunning: (fence) => this.runs.has(fence) });
  readonly links = [0, 1].map(() => new ScriptedLink(this.model, this.clock, this.witness));
  readonly runtime: WorkerRuntime<string>;
  readonly #registry = new Registry();
  obedient = true;
  draining = false;
  expired = 0;

  constructor() {
    this.runtime = new WorkerRuntime<string>({
      clients: this.links,
      handler: { kind: 'image', contracts: new Map([[1, { decode: (payload) => Buffer.from(payload).toString() }]]), run: (job) => this.#run(job) },
      build: 'tested@1', concurrency: CONCURRENCY, prefetch: PREFETCH, marginMs: MARGIN_MS, drainTimeoutMs: 1000, startTimeoutMs: 0, abortGraceMs: 200,
      logger: createLogger({ service: 'tested', level: 'silent' }), registry: this.#registry, clock: this.clock, random: () => 1,
    });
  }

  parked(): Parked[] {
    return this.links.flatMap((link) => link.parked);
  }

  #run(job: RunningJob<string>): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const end = (how: Ending): void => {
        this.runs.delete(job.fence);
        if (how === 'returns') resolve(Buffer.from(`made under ${job.fence}`));
        else reject(how === 'throws' ? new Error('unforeseen') : new JobFault('WORD', how === 'fails technically' ? 'technical' : 'content'));
      };
      this.runs.set(job.fence, { job, end });
      if (this.obedient) job.signal.addEventListener('abort', () => end('throws'), { once: true });
    });
  }

  /** Lets everything happen that needs no time, then looks whether it is as it must be. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) await nextTurn();
    if (this.witness.breach !== undefined) throw this.witness.breach;
    const [running, prefetched] = await Promise.all([this.#gauge('jobs_running'), this.#gauge('jobs_prefetched')]);
    expect(running).toBeLessThanOrEqual(CONCURRENCY);
    expect(running + prefetched).toBeLessThanOrEqual(CONCURRENCY + PREFETCH);
    expect(this.parked().filter((c) => c.method === 'acquire' && !c.abandoned).length).toBeLessThanOrEqual(1);
    for (const [fence, { job }] of this.runs) this.#checkSignal(fence, job.signal);
  }

  #checkSignal(fence: bigint, signal: AbortSignal): void {
    const known = this.witness.held.get(fence);
    if (known === undefined || known.gone || known.content !== undefined) return;
    const trusted = this.clock.now() < known.trustEndsAtMs;
    if (!trusted) expect(signal.aborted, `${fence} runs on without trust`).toBe(true);
    else if (!this.draining) expect(signal.aborted, `${fence} is stopped while it is trusted: ${String(signal.reason)}`).toBe(false);
  }

  async #gauge(name: string): Promise<number> {
    return (await this.#registry.getSingleMetric(`leasehold_worker_${name}`)?.get())?.values[0]?.value ?? 0;
  }
}

/** One step of a script. */
class Step implements fc.AsyncCommand<object, World> {
  readonly #name: string;
  readonly #act: (world: World) => void | Promise<void>;

  constructor(name: string, act: (world: World) => void | Promise<void>) {
    this.#name = name;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  async run(_: object, world: World): Promise<void> {
    await this.#act(world);
    await world.settle();
  }

  toString(): string {
    return this.#name;
  }
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];
const at = fc.nat({ max: 7 });

const toCall = (name: string, act: (call: Parked) => void): fc.Arbitrary<Step> =>
  at.map((n) => new Step(`${name} ${n}`, (w) => {
    const call = pick(w.parked().filter((c) => !c.abandoned), n);
    if (call !== undefined) act(call);
  }));

// Without it most scripts would starve: a lease needs many answers in time to come to its end.
const answerAll = new Step('answer all', (w) => {
  for (const call of w.parked()) if (!call.abandoned) call.answer();
});

const steps = [
  fc.integer({ min: 1, max: 3 }).map((n) => new Step(`enqueue ${n}`, (w) => void w.model.enqueue({ count: n }))),
  ...[0, 0, 0, 0, 0, 0].map(() => fc.constant(answerAll)),
  ...[0, 0, 0].map(() => toCall('answer', (call) => call.answer())),
  toCall('lose request', (call) => call.fail()),
  toCall('lose reply', (call) => {
    call.arrive();
    call.fail();
  }),
  toCall('arrive', (call) => call.arrive()),
  at.map((n) => new Step(`arrive late ${n}`, (w) => pick(w.parked().filter((c) => c.abandoned), n)?.arrive())),
  ...[fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 450 }), fc.integer({ min: 450, max: 1400 })].map((ms) => ms.map((n) => new Step(`pass ${n}`, (w) => w.clock.advance(n)))),
  ...[0, 0].map(() => fc.tuple(at, fc.constantFrom<Ending[]>('returns', 'returns', 'finds the content at fault', 'fails technically', 'throws'))
    .map(([n, how]) => new Step(`run ${n} ${how}`, (w) => pick([...w.runs.values()], n)?.end(how)))),
  fc.constant(new Step('expire', (w) => {
    const before = w.model.jobs.filter((j) => j.state === 'leased').length;
    w.model.expire();
    w.expired += before - w.model.jobs.filter((j) => j.state === 'leased').length;
  })),
  at.map((n) => new Step(`cancel ${n}`, (w) => {
    const job = pick(w.model.jobs.filter((j) => j.state === 'queued' || j.state === 'leased'), n);
    if (job !== undefined) w.model.cancel(job);
  })),
  fc.constant(new Step('forget the worker', (w) => {
    w.model.forgetWorkers();
    w.witness.givesUp = true;
  })),
  fc.boolean().map((on) => new Step(`grant ${on ? 'too many' : 'as asked'}`, (w) => { w.model.grantsTooMany = on ? 3 : 0; })),
  fc.boolean().map((on) => new Step(`handlers ${on ? 'obey' : 'ignore'} their signal`, (w) => { w.obedient = on; })),
];
const drain = new Step('drain', (w) => {
  w.draining = true;
  w.witness.givesUp = true;
  w.witness.drains = true;
  w.runtime.drain();
});

const pause = new Step('pass 5', (w) => w.clock.advance(5));

/** From here on nothing is lost: everything is answered, every run ends, the queue voids what has expired. */
async function heal(world: World, met: () => boolean): Promise<void> {
  for (let round = 0; round < 400 && !met(); round += 1) {
    for (const call of world.parked()) if (call.abandoned) call.arrive(); else call.answer();
    await world.settle();
    for (const run of world.runs.values()) run.end(run.job.signal.reason instanceof RunAborted ? 'throws' : 'returns');
    world.model.expire();
    await world.clock.advance(20);
    await world.settle();
  }
  expect(met(), 'comes to an end once nothing is lost').toBe(true);
}

async function play(commands: Iterable<fc.AsyncCommand<object, World>>): Promise<void> {
  const world = new World();
  const begun = world.runtime.start();
  await world.settle();
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
    const over = () => world.model.jobs.every((j) => j.state === 'finished' || j.state === 'cancelled');
    if (!world.draining) await heal(world, over);
    let drained = false;
    void world.runtime.drained.then(() => (drained = true));
    await drain.run({}, world);
    await heal(world, () => drained);
    expect([...world.witness.held.values()].filter((k) => !k.gone)).toEqual([]);
    expect(world.model.jobs.filter((j) => j.settled.filter((s) => s.verb?.$case === 'complete').length > 1)).toEqual([]);
    // A call that arrives after the worker has left may still be granted something, but of what the worker knew nothing is left.
    expect(world.model.jobs.filter((j) => j.lease !== undefined && world.witness.everHeld.has(j.lease.fence))).toEqual([]);
  } finally {
    await world.runtime.stop(AbortSignal.abort());
    await begun;
  }
}

test('whatever is lost, late, expired, cancelled or forgotten, the worker keeps to the lease protocol', async () => {
  const script = fc.commands([...steps, fc.nat({ max: 7 }).map((n) => (n === 0 ? drain : pause))], { size: '+1', maxCommands: 120 });
  await fc.assert(fc.asyncProperty(script, play), { numRuns: Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 60), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false });
}, 120_000);

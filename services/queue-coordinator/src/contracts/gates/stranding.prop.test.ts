import { versionFor, type Share } from '@leasehold/contract-shares';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Contract } from '../contract.js';
import type { KindFacts } from '../facts.js';
import { sharesAmong, sharesFor, sharesWith } from '../shares.js';
import type { GateAnswer } from './answer.js';
import { buildGate } from './build.js';
import { closeGate } from './close.js';
import { certainty, contract, facts, producer, worker } from './facts.fixture.js';
import { openGate } from './open.js';
import { preferGate, remainderOf } from './prefer.js';
import { retireGate } from './retire.js';

/** A kind, its queue, fleet and producers, moved only by what gates let pass. Written without the gates' own helpers, so that it can find them wrong. */
class World {
  /** In the middle of a rollout, where the most steps can be taken. */
  readonly states = new Map<number, Contract['state']>([[1, 'open'], [2, 'open']]);
  readonly shares = new Map<number, number>([[1, 50], [2, 50]]);
  jobs: { version: number; at: 'queued' | 'leased' | 'outcome' }[] = [];
  workers: { build: string; reads: readonly number[]; silent: boolean }[] = [{ build: 'old', reads: [1], silent: false }, { build: 'new', reads: [1, 2], silent: false }];
  producers: readonly number[][] = [[1, 2]];
  passed = 0;
  #ids = 0;

  facts(): KindFacts {
    const of = (version: number, at: string): number => this.jobs.filter((job) => job.version === version && job.at === at).length;
    return facts({
      contracts: [...this.states].map(([version, state]) =>
        contract(version, { state, share: this.shares.get(version) ?? 0, left: { due: of(version, 'queued'), leased: of(version, 'leased'), outcomes: of(version, 'outcome') } })),
      workers: this.workers.map(({ build, reads, silent }) => worker(reads, { build, silentMs: silent ? 60_000 : 1_000 })),
      producers: this.producers.map((reads) => producer(reads)),
    });
  }

  enqueue(by: number): void {
    const writes = this.producers[by % this.producers.length] ?? [];
    const version = versionFor(sharesFor(this.#contracts(), writes), `job-${(this.#ids += 1)}`);
    if (version !== undefined) this.jobs.push({ version, at: 'queued' });
  }

  work(): void {
    const job = this.jobs.find(({ version, at }) => at === 'queued' && this.workers.some(({ reads, silent }) => !silent && reads.includes(version)));
    if (job !== undefined) job.at = 'leased';
  }

  finish(): void {
    const job = this.jobs.find(({ at }) => at === 'leased');
    if (job !== undefined) job.at = 'outcome';
  }

  acknowledge(): void {
    const index = this.jobs.findIndex(({ version, at }) => at === 'outcome' && this.producers.some((reads) => reads.includes(version)));
    if (index >= 0) this.jobs.splice(index, 1);
  }

  step(gate: GateAnswer, take: () => void): void {
    if (gate.verdict !== 'pass') return;
    this.passed += 1;
    take();
    this.check();
  }

  move(version: number, from: Contract['state'], to: Contract['state']): void {
    if (this.states.get(version) !== from) return;
    this.states.set(version, to);
    this.#set(sharesAmong(this.#open().map((open) => ({ version: open, percent: this.shares.get(open) ?? 0 }))));
  }

  prefer(version: number, percent: number): void {
    this.#set(sharesWith(this.#open(), version, percent, remainderOf(this.facts().contracts, version)));
  }

  /** What must hold after any step that was let pass. */
  check(): void {
    const alive = this.workers.filter(({ silent }) => !silent);
    for (const [version, state] of this.states) {
      if (state === 'retired' && this.jobs.some((job) => job.version === version)) throw new Error(`version ${version} was retired over jobs or outcomes`);
      const written = state === 'open' && (this.shares.get(version) ?? 0) > 0;
      if (written && this.strict && !alive.some(({ reads }) => reads.includes(version))) throw new Error(`nobody reads version ${version}, which is written`);
    }
    const shares = this.#open().reduce((sum, version) => sum + (this.shares.get(version) ?? 0), 0);
    if (shares !== (this.#open().length > 0 ? 100 : 0)) throw new Error(`the shares add up to ${shares}`);
  }

  /** Until a worker falls silent, which no gate can forbid. */
  strict = true;

  stranded(): number[] {
    const live = this.jobs.filter(({ at }) => at !== 'outcome').map(({ version }) => version);
    return live.filter((version) => !this.workers.some(({ reads }) => reads.includes(version)));
  }

  #open(): number[] {
    return [...this.states].filter(([, state]) => state === 'open').map(([version]) => version);
  }

  #set(shares: readonly Share[]): void {
    this.shares.clear();
    for (const { version, percent } of shares) this.shares.set(version, percent);
  }

  #contracts(): Contract[] {
    return [...this.states].map(([version, state]) =>
      ({ kind: 'image', version, state, sharePercent: this.shares.get(version) ?? 0, paused: false, descriptorDigest: Buffer.alloc(0), revision: 1n, announcedAt: new Date(0), updatedAt: new Date(0) }));
  }
}

// Mostly two versions: a long way leads to a state in which a wrong gate shows, and every version more makes it longer.
const version = fc.constantFrom(1, 1, 1, 1, 2, 2, 2, 2, 3);
const versions = fc.constantFrom([1], [2], [1, 2], [1, 2], [2, 3], [3]);
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('enqueue' as const, 'work' as const, 'finish' as const, 'acknowledge' as const), by: fc.nat(5) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constantFrom('announce' as const, 'open' as const, 'reopen' as const, 'close' as const, 'retire' as const), version }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('prefer' as const), version, percent: fc.constantFrom(0, 10, 50, 100, 100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add worker' as const), reads: versions }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('replace build' as const), reads: versions, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fall silent' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace producers' as const), reads: versions }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

let builds = 0;
function perform(world: World, a: Action): void {
  switch (a.do) {
    case 'enqueue':
      return world.enqueue(a.by);
    case 'work':
    case 'finish':
    case 'acknowledge':
      return world[a.do]();
    case 'announce':
      if (!world.states.has(a.version)) world.states.set(a.version, 'announced');
      return;
    case 'open':
      return world.step(openGate(world.facts(), a.version, { ...certainty, minWorkers: 1 }), () => world.move(a.version, 'announced', 'open'));
    case 'reopen':
      return world.step(openGate(world.facts(), a.version, { ...certainty, minWorkers: 1 }), () => world.move(a.version, 'closed', 'open'));
    case 'close':
      return world.step(closeGate(world.facts(), a.version, certainty), () => world.move(a.version, 'open', 'closed'));
    case 'retire':
      return world.step(retireGate(world.facts(), a.version), () => world.move(a.version, 'closed', 'retired'));
    case 'prefer':
      return world.step(preferGate(world.facts(), a.version, a.percent, certainty), () => world.prefer(a.version, a.percent));
    case 'add worker':
      world.workers.push({ build: `b${(builds += 1)}`, reads: a.reads, silent: false });
      return;
    case 'replace build': {
      const old = world.workers[a.which % world.workers.length]?.build ?? '';
      const candidate = `b${(builds += 1)}`;
      const gate = buildGate([world.facts()], { build: candidate, reads: a.reads.map((each) => ({ kind: 'image', version: each })) }, old, certainty);
      return world.step(gate, () => {
        world.workers = [...world.workers.filter(({ build }) => build !== old), { build: candidate, reads: a.reads, silent: false }];
      });
    }
    case 'fall silent': {
      const one = world.workers[a.which % world.workers.length];
      if (one !== undefined) one.silent = true;
      world.strict = false;
      return;
    }
    case 'replace producers':
      // New producers read at least what old ones read, as a team that rolls out in order does; and keep writing something open.
      world.producers = [[...new Set([...world.producers.flat(), ...a.reads])]];
  }
}

test('no history of steps that gates let pass strands a job: none of a retired version, each live one has a reader, what is written is read', () => {
  let passed = 0;
  fc.assert(
    fc.property(fc.array(action, { minLength: 30, maxLength: 120 }), (actions) => {
      const world = new World();
      for (const each of actions) {
        perform(world, each);
        const stranded = world.stranded();
        if (stranded.length > 0) throw new Error(`jobs of version ${stranded.join(', ')} have no reader after ${JSON.stringify(each)}`);
      }
      passed += world.passed;
    }),
    { numRuns: 1_500 },
  );
  // Or the histories would have shown nothing.
  expect(passed).toBeGreaterThan(10_000);
});

import { SettlementVerdict, type AcquireLeasesRequest, type Lease, type Settlement } from '@leasehold/lease-v1';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  complete, extension, failContent, failTechnical, jobName, QueueUnderTest, release, spec, WorkerUnderTest, type CoordinatorUnderTest,
} from '../testing/queue-under-test.js';

// Random histories of two jobs, three workers and two coordinators on the real store, several calls at a time, with replies lost and calls repeated. In the end a healthy worker
// comes: whatever happened, everything that is left must reach it.

/** Where histories run, and what can go wrong there besides. */
export interface Stage {
  readonly queue: QueueUnderTest;
  readonly coordinators: readonly CoordinatorUnderTest[];
  /** What the dispatcher forgets or is not told; undefined where it keeps nothing. */
  readonly mischief?: (what: Mischief) => Promise<void>;
}

export const mischiefs = ['flush', 'lose-moves', 'lose-relay', 'lose-pop'] as const;
export type Mischief = (typeof mischiefs)[number];

const bound = 3;
const verbs = { complete: (l: Lease) => complete(l, `by ${l.fence}`), failTechnical, failContent, release };
type Said = keyof typeof verbs;

type Step =
  | { readonly do: 'enqueue'; readonly job: number; readonly at: number }
  | { readonly do: 'acquire'; readonly worker: number; readonly leases: number; readonly at: number; readonly lost: boolean }
  | { readonly do: 'settle'; readonly worker: number; readonly pick: number; readonly said: Said; readonly at: number; readonly lost: boolean }
  | { readonly do: 'repeat-settle'; readonly pick: number; readonly at: number }
  | { readonly do: 'extend'; readonly worker: number; readonly at: number }
  | { readonly do: 'age'; readonly minutes: number }
  | { readonly do: 'expire' }
  | { readonly do: 'cancel'; readonly job: number; readonly at: number; readonly named: boolean }
  | { readonly do: 'leave'; readonly worker: number; readonly at: number }
  | { readonly do: 'mischief'; readonly what: Mischief };

const at = fc.nat(1);
const worker = fc.nat(2);
const job = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('enqueue' as const), job, at }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('acquire' as const), worker, leases: fc.integer({ min: 1, max: 3 }), at, lost: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), worker, pick: fc.nat(5), said: fc.constantFrom(...(Object.keys(verbs) as Said[])), at, lost: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('repeat-settle' as const), pick: fc.nat(20), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('extend' as const), worker, at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('age' as const), minutes: fc.constantFrom(1, 3, 20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), job, at, named: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), worker, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('mischief' as const), what: fc.constantFrom(...mischiefs) }) },
);
/** Steps within a group run at the same time. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 14 });

class History {
  readonly #stage: Stage;
  readonly #workers = [new WorkerUnderTest(), new WorkerUnderTest(), new WorkerUnderTest()];
  /** Acquires whose answer was lost: the worker must repeat them before it asks anew. */
  readonly #unanswered = new Map<WorkerUnderTest, AcquireLeasesRequest>();
  readonly #busy = new Set<WorkerUnderTest>();
  readonly #leases = new Map<WorkerUnderTest, Lease[]>();
  /** The largest fence known to be granted, by enqueue. */
  readonly #granted = new Map<bigint, bigint>();
  readonly #sent: { readonly settlement: Settlement; readonly said: Said }[] = [];
  readonly #accepted = new Map<string, Said>();
  readonly #enqueueIds = new Map<number, bigint>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async start(): Promise<void> {
    for (const each of this.#workers) await each.register(this.#at(0));
  }

  async run(todo: Step): Promise<void> {
    switch (todo.do) {
      case 'enqueue': {
        const { results } = await this.#at(todo.at).queue.enqueueJobs({ jobs: [spec(`job-${todo.job}`)] });
        const enqueueId = results[0]?.job?.enqueueId ?? 0n;
        expect(this.#enqueueIds.get(todo.job) ?? enqueueId, 'a repeated enqueue made another job').toBe(enqueueId);
        this.#enqueueIds.set(todo.job, enqueueId);
        return;
      }
      case 'acquire':
        return this.#alone(todo.worker, (who) => this.#acquire(who, todo));
      case 'settle': {
        const who = this.#who(todo.worker);
        const lease = this.#leases.get(who)?.at(-1 - todo.pick);
        return lease === undefined ? undefined : this.#settle(verbs[todo.said](lease), todo.said, todo.at, who);
      }
      case 'repeat-settle': {
        const again = this.#sent.at(-1 - todo.pick);
        return again === undefined ? undefined : this.#settle(again.settlement, again.said, todo.at, this.#who(0));
      }
      case 'extend':
        return this.#alone(todo.worker, async (who) => void (await who.extend(this.#at(todo.at), (this.#leases.get(who) ?? []).filter((l) => who.held.has(l.fence)).map(extension))));
      case 'age':
        return this.#stage.queue.age(todo.minutes * 60_000);
      case 'expire':
        // The duty itself runs in both coordinators; here time only passes for leases that are out.
        await this.#stage.queue.sql.query("update jobs set expires_at = now() - interval '1 ms' where state = 'leased' and random() < 0.5");
        return;
      case 'cancel': {
        const enqueueId = todo.named ? this.#enqueueIds.get(todo.job) : undefined;
        if (enqueueId === undefined) return;
        await this.#at(todo.at).queue.cancelJob({ name: jobName(`job-${todo.job}`), enqueueId });
        return;
      }
      case 'mischief':
        return this.#stage.mischief?.(todo.what);
      case 'leave':
        return this.#alone(todo.worker, async (who) => {
          await this.#at(todo.at).leases.deregisterWorker({ workerId: who.workerId });
          const heir = new WorkerUnderTest();
          this.#workers[todo.worker] = heir;
          // Old leases stay known, so that a holder that left speaks again.
          this.#leases.set(heir, [...(this.#leases.get(who) ?? [])]);
          await heir.register(this.#at(todo.at));
        });
    }
  }

  #at(index: number): CoordinatorUnderTest {
    const found = this.#stage.coordinators[index];
    if (found === undefined) throw new Error(`no coordinator ${index}`);
    return found;
  }

  #who(index: number): WorkerUnderTest {
    const who = this.#workers[index];
    if (who === undefined) throw new Error(`no worker ${index}`);
    return who;
  }

  /** A worker numbers its calls, so it makes one acquire or extend at a time. */
  async #alone(index: number, work: (who: WorkerUnderTest) => Promise<void>): Promise<void> {
    const who = this.#who(index);
    if (this.#busy.has(who)) return;
    this.#busy.add(who);
    await work(who).finally(() => this.#busy.delete(who));
  }

  async #acquire(who: WorkerUnderTest, todo: Extract<Step, { do: 'acquire' }>): Promise<void> {
    const request = this.#unanswered.get(who) ?? who.request({ maxLeases: todo.leases });
    // A coordinator may die in the call (mischief): as good as a lost answer.
    const answer = await this.#at(todo.at).leases.acquireLeases(request).catch((error: unknown) => {
      if (this.#stage.mischief === undefined) throw error;
      return undefined;
    });
    if (answer === undefined) {
      this.#unanswered.set(who, request);
      return;
    }
    const { leases } = answer;
    for (const lease of leases) {
      expect(lease.attempt, 'granted beyond the bound').toBeLessThanOrEqual(bound);
      const before = this.#granted.get(lease.enqueueId) ?? 0n;
      const known = this.#leases.get(who)?.some((l) => l.fence === lease.fence) === true;
      if (!known && !todo.lost && before !== lease.fence) expect(lease.fence > before || this.#unanswered.has(who), 'a fence did not rise').toBe(true);
      if (lease.fence > before) this.#granted.set(lease.enqueueId, lease.fence);
    }
    if (todo.lost) {
      this.#unanswered.set(who, request);
      return;
    }
    this.#unanswered.delete(who);
    who.heard(request, leases);
    this.#leases.set(who, [...(this.#leases.get(who) ?? []), ...leases]);
  }

  async #settle(settlement: Settlement, said: Said, where: number, who: WorkerUnderTest): Promise<void> {
    const token = settlement.leaseToken.toString('hex');
    const supersededBefore = (this.#granted.get(settlement.enqueueId) ?? 0n) > settlement.fence;
    const acceptedBefore = this.#accepted.get(token);
    this.#sent.push({ settlement, said });
    const { results } = await who.settle(this.#at(where), settlement);
    const verdict = results[0]?.verdict;
    if (acceptedBefore === said) expect(verdict, 'a repeated settle must answer the same').toBe(SettlementVerdict.SETTLED);
    else if (acceptedBefore !== undefined) expect(verdict, 'another content under a settled token').toBe(SettlementVerdict.LEASE_LOST);
    else if (supersededBefore) expect(verdict, 'a superseded holder was believed').toBe(SettlementVerdict.LEASE_LOST);
    if (verdict === SettlementVerdict.SETTLED) {
      expect(this.#accepted.get(token) ?? said, 'two contents were accepted for one lease').toBe(said);
      this.#accepted.set(token, said);
    }
  }

  /** A worker comes, and takes and completes what is left. */
  async drain(): Promise<void> {
    const { queue } = this.#stage;
    await queue.age(3_600_000);
    const healthy = await new WorkerUnderTest().register(this.#at(0));
    for (let call = 0; (await queue.sql.query('select from jobs')).rowCount !== 0; call++) {
      expect(call, 'a job that nothing hands out').toBeLessThan(20);
      const leases = await healthy.acquire(this.#at(call % 2), { maxLeases: 2, wait: { seconds: 1n, nanos: 0 } }).catch(() => []);
      for (const lease of leases) {
        expect(lease.fence, 'a fence did not rise').toBeGreaterThan(this.#granted.get(lease.enqueueId) ?? 0n);
        this.#granted.set(lease.enqueueId, lease.fence);
        const { results } = await healthy.settle(this.#at(0), complete(lease, `by ${lease.fence}`));
        expect(results[0]?.verdict, 'a holder was refused').toBe(SettlementVerdict.SETTLED);
      }
    }
  }

  /** What must hold of the store after any history. */
  async check(): Promise<void> {
    const { rows: twice } = await this.#stage.queue.sql.query('select enqueue_id, count(*) from job_records group by enqueue_id having count(*) > 1');
    expect(twice, 'an enqueue has two records').toEqual([]);
    const { rows: names } = await this.#stage.queue.sql.query('select job_id, count(*) from job_records group by job_id having count(*) > 1');
    expect(names, 'a name has two records').toEqual([]);
    const { rows: over } = await this.#stage.queue.sql.query('select job_id, attempts from job_records where attempts > $1 or attempts < 0', [bound]);
    expect(over, 'attempts out of bounds').toEqual([]);
    const { rows: finished } = await this.#stage.queue.sql.query('select enqueue_id, state, fence, result from finished_jobs');
    for (const row of finished) {
      const largest = this.#granted.get(BigInt(row.enqueue_id)) ?? 0n;
      expect(BigInt(row.fence), 'an outcome below a fence that was granted').toBeGreaterThanOrEqual(largest);
      if (row.state === 'succeeded') expect(row.result.toString(), 'an outcome that its own holder did not give').toBe(`by ${row.fence}`);
    }
    const { rows: unannounced } = await this.#stage.queue.sql.query('select f.job_id from finished_jobs f where not exists (select from outcomes o where o.enqueue_id = f.enqueue_id and o.fence = f.fence)');
    expect(unannounced, 'a finished job without an outcome').toEqual([]);
  }
}

/**
 * In any history: one outcome per enqueue, fences rise, attempts keep their bound, no superseded holder is believed, repeats answer the same, and no job is left that
 * nothing hands out. More of them: LEASEHOLD_PROPERTY_RUNS=2000 npx vitest run src/leases/history.prop.itest.ts, and LEASEHOLD_PROPERTY_MS for a time.
 */
export async function tryHistories(stage: Stage, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, async (groups) => {
      await stage.queue.reset();
      await stage.queue.policy({ retry_initial_ms: 0, retry_max_ms: 0, release_initial_ms: 0 });
      const run = new History(stage);
      await run.start();
      for (const group of groups) await Promise.all(group.map((todo) => run.run(todo)));
      await run.check();
      await run.drain();
      await run.check();
    }),
    { numRuns: Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? runs), interruptAfterTimeLimit: Number(process.env['LEASEHOLD_PROPERTY_MS'] ?? 3_600_000) },
  );
}

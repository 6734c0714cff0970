import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOutcome, LedgerRow } from './index.js';
import { BatchModel, type ModelRun } from './testbed/batch-model.js';
import { digestOf, openTestbed, rowsOf, submission, type ApplyOptions, type Testbed } from './testbed/ledger.fixture.js';

let bed: Testbed;
beforeAll(async () => {
  bed = await openTestbed();
  // What every change of a batch's state was, seen by the database itself.
  await bed.owner.pool.query(`
    create table seen (import_id text, was text, is_now text, old_generation int, new_generation int, old_fence bigint, new_fence bigint);
    create function see() returns trigger language plpgsql security definer as $$
      begin insert into seen values (new.import_id, old.state, new.state, old.generation, new.generation, old.fence, new.fence); return new; end $$;
    create trigger see after update on imports for each row execute function see();`);
});
afterAll(() => bed.stop());

/** The architecture's diagram; the generation rises exactly where a batch is opened again. */
async function expectTheDiagram(): Promise<void> {
  const { rows } = await bed.owner.pool.query(`select * from seen where new_fence < old_fence or new_generation < old_generation or not (
    (was = is_now and (new_generation = old_generation or was = 'accepted')) or (was = 'accepted' and is_now in ('applied', 'rejected', 'cancelled') and new_generation = old_generation)
    or (was = 'rejected' and is_now = 'accepted' and new_generation = old_generation + 1))`);
  expect(rows).toEqual([]);
}

type Command =
  | { kind: 'accept'; batch: number; content: string }
  | { kind: 'begin' | 'apply' | 'reject'; batch: number; run: number }
  | { kind: 'settle'; batch: number; outcome: 'succeeded' | 'cancelled' | 'refused'; back: number; ahead: number }
  | { kind: 'cancel'; batch: number }
  | { kind: 'retry'; batch: number; back: number };

// For a longer campaign, and for a machine with much else to do.
const timeout = 600_000;

const batch = fc.nat(3);
const weighted: fc.WeightedArbitrary<Command>[] = [
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('accept'), batch, content: fc.constantFrom('a', 'b') }) },
  // Small numbers mean a recent run: most of the time the one that holds.
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin'), batch, run: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('apply'), batch, run: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reject'), batch, run: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle'), batch, outcome: fc.constantFrom('succeeded', 'cancelled', 'refused', 'refused'), back: fc.nat(1), ahead: fc.integer({ min: -6, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), batch }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('retry'), batch, back: fc.nat(1) }) },
];
const command: fc.Arbitrary<Command> = fc.oneof(...weighted);

interface Sort {
  readonly options: ApplyOptions;
  readonly rows: readonly LedgerRow[];
  /** The quantities after it by `warehouse/sku`; undefined: stock can take nothing of it. */
  outcome(stock: Readonly<Record<string, number>>): Record<string, number> | undefined;
}

const added = (stock: Readonly<Record<string, number>>, key: string, change: number): Record<string, number> | undefined => {
  const quantity = (stock[key] ?? 0) + change;
  return quantity < 0 ? undefined : { ...stock, [key]: quantity };
};

/** Batches over one SKU: the second takes what the first brings; the third sets another warehouse and takes there, all of it or nothing; the fourth takes from both what there is. */
const sorts: readonly Sort[] = [
  { options: {}, rows: rowsOf(['sku', 3]), outcome: (stock) => added(stock, '/sku', 3) },
  { options: {}, rows: rowsOf(['sku', -2]), outcome: (stock) => added(stock, '/sku', -2) },
  {
    options: { layout: 'warehouses' },
    rows: [{ line: 2, warehouse: 'north', sku: 'sku', quantity: 9 }, { line: 3, warehouse: 'north', sku: 'sku', quantity: 4, sets: true }, { line: 4, warehouse: 'north', sku: 'sku', quantity: -1 }, { line: 5, sku: 'sku', quantity: -1 }],
    outcome: (stock) => added({ ...stock, 'north/sku': 3 }, '/sku', -1),
  },
  {
    options: { mode: 'partial', layout: 'warehouses' },
    rows: [{ line: 2, sku: 'sku', quantity: -1 }, { line: 3, warehouse: 'north', sku: 'sku', quantity: -2 }],
    outcome: (stock) => {
      const first = added(stock, '/sku', -1);
      const second = added(first ?? stock, 'north/sku', -2);
      return second ?? first;
    },
  },
];

class History {
  static #count = 0;
  readonly #namespace = `h${(History.#count += 1)}`;
  readonly #models = sorts.map(() => new BatchModel());
  readonly #runs: ModelRun[][] = sorts.map(() => []);
  #fence = 100n;
  #tokens = 0;
  #inStock: Record<string, number> = {};

  async step(c: Command): Promise<void> {
    const [model, sort] = [this.#models[c.batch], sorts[c.batch]];
    if (model === undefined || sort === undefined) throw new Error(`no batch ${c.batch}`);
    const id = { namespace: this.#namespace, importId: `batch-${c.batch}` };
    const answer = await this.#both(c, model, sort, id);
    expect(answer.ledger, JSON.stringify(c)).toBe(answer.model);
    const found = await bed.ledger.find(id);
    const { state, generation, fence, outcomeFence, revision } = found ?? { state: 'none', generation: 0, fence: 0n, outcomeFence: 0n, revision: 0n };
    expect({ state, generation, fence, outcomeFence, revision }).toEqual({ state: model.state, generation: model.generation, fence: model.fence, outcomeFence: model.outcomeFence, revision: model.revision });
    if (found !== undefined) expect(found.contentDigest).toEqual(digestOf(model.content));
  }

  async #both(c: Command, model: BatchModel, sort: Sort, id: { namespace: string; importId: string }): Promise<{ ledger: string; model: string }> {
    switch (c.kind) {
      case 'accept':
        return { ledger: (await bed.ledger.accept({ ...submission(id.importId, c.content, id.namespace), ...sort.options })).verdict, model: model.accept(c.content) };
      case 'begin': {
        const run = this.#run(c, model);
        return { ledger: (await bed.worker.begin({ ...id, ...run, tokenDigest: digestOf(String(run.token)) })).verdict, model: model.begin(run) };
      }
      case 'apply': {
        const run = this.#run(c, model);
        const outcome = sort.outcome(this.#inStock);
        const { verdict } = await bed.apply({ ...id, ...run, tokenDigest: digestOf(String(run.token)) }, sort.rows, undefined, sort.options);
        const expected = model.apply(run, outcome !== undefined);
        if (expected === 'applied' && outcome !== undefined) this.#inStock = outcome;
        return { ledger: verdict, model: expected };
      }
      case 'reject': {
        const run = this.#run(c, model);
        const { verdict } = await bed.worker.reject({ ...id, ...run, tokenDigest: digestOf(String(run.token)) }, { reason: 'SKU', faults: [], faultCount: 1 });
        return { ledger: verdict, model: model.reject(run) };
      }
      case 'settle': {
        const generation = model.generation - c.back;
        const outcome: JobOutcome = c.outcome === 'refused' ? { kind: 'refused', reason: 'EXHAUSTED' } : { kind: c.outcome };
        const outcomeFence = this.#fence + BigInt(c.ahead);
        if (outcomeFence > this.#fence) this.#fence = outcomeFence;
        return { ledger: (await bed.ledger.settle({ ...id, generation, outcome, outcomeFence })).verdict, model: model.settle(generation, c.outcome, outcomeFence) };
      }
      case 'cancel':
        return { ledger: (await bed.ledger.cancel(id)).verdict, model: model.cancel() };
      case 'retry': {
        const revision = model.revision - BigInt(c.back);
        return { ledger: (await bed.ledger.retry(id, revision)).verdict, model: model.retry(revision) };
      }
    }
  }

  /** A run of the current generation with a new fence, or one that is out already. */
  #run(c: { kind: string; batch: number; run: number }, model: BatchModel): ModelRun {
    const runs = this.#runs[c.batch] ?? [];
    const known = runs.at(c.kind === 'begin' ? -c.run : -1 - c.run);
    if (known !== undefined && (c.kind !== 'begin' || c.run > 0)) return known;
    const run = { generation: model.generation, fence: (this.#fence += 1n), token: (this.#tokens += 1) };
    runs.push(run);
    return run;
  }

  async expectTheSums(): Promise<void> {
    expect(await bed.ledger.imbalance(this.#namespace)).toEqual([]);
    for (const warehouse of ['', 'north']) {
      const { items: [item] } = await bed.ledger.stock(this.#namespace, ['sku'], warehouse);
      expect([warehouse, item?.quantity ?? 0n]).toEqual([warehouse, BigInt(this.#inStock[`${warehouse}/sku`] ?? 0)]);
    }
    for (const [i, model] of this.#models.entries()) {
      expect(model.applied).toBe(model.state === 'applied' ? 1 : 0);
      const moves = await bed.ledger.moves({ namespace: this.#namespace, importId: `batch-${i}` }, { limit: 10 });
      // Of a batch with more than one key some may have changed nothing.
      expect(moves.length).toBeLessThanOrEqual(2 * model.applied);
      if (i < 2) expect(moves.length).toBe(model.applied);
    }
  }
}

test('in every history of submissions, runs with stale fences, outcomes, cancels and retries the ledger does what the rules say', { timeout }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30 }), async (commands) => {
    const history = new History();
    const all: Command[] = [{ kind: 'accept', batch: 0, content: 'a' }, ...commands];
    for (const [i, one] of all.entries()) {
      await history.step(one);
      if (i % 10 === 9) await history.expectTheSums();
    }
    await history.expectTheSums();
  }), { numRuns: Number(process.env['LEASEHOLD_LEDGER_HISTORIES'] ?? 8) });
  await expectTheDiagram();
});

test('whatever happens at once, each batch is applied at most once, moves come to the stock, and no ACCEPTED import is lost', { timeout }, async () => {
  const namespace = 'chaos';
  const ids = ['c-0', 'c-1', 'c-2'].map((importId) => ({ namespace, importId }));
  let fence = 0n;
  const random = seeded(20_261_129);
  const act = async (): Promise<void> => {
    const id = ids[random(3)] ?? { namespace, importId: 'c-0' };
    const found = await bed.ledger.find(id);
    const generation = (found?.generation ?? 1) - (random(8) === 0 ? 1 : 0);
    const run = { ...id, generation, fence: (fence += 1n) - BigInt(random(2)), tokenDigest: digestOf(String(fence)) };
    switch (random(8)) {
      case 0: case 1: await bed.ledger.accept(submission(id.importId, ['a', 'b'][random(2)] ?? 'a', namespace)); break;
      case 2: case 3:
        await bed.worker.begin(run);
        await bed.apply(run, rowsOf(['x', random(3) - 1], ['y', 1], ['x', random(3) - 1]));
        break;
      case 4:
        await bed.worker.begin(run);
        await bed.worker.reject(run, { reason: 'SKU', faults: [], faultCount: 1 });
        break;
      case 5: await bed.ledger.settle({ ...id, generation, outcome: random(2) === 0 ? { kind: 'succeeded' } : { kind: 'refused', reason: 'EXHAUSTED' }, outcomeFence: fence }); break;
      case 6: await bed.ledger.retry(id, (found?.revision ?? 1n) - BigInt(random(2))); break;
      default: if (random(6) === 0) await bed.ledger.cancel(id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 25; i++) await act();
  }));
  // Every import that is ACCEPTED still can be applied: none is lost.
  for (const id of ids) {
    await bed.ledger.accept(submission(id.importId, 'a', namespace));
    const found = await bed.ledger.find(id);
    if (found?.state !== 'accepted') continue;
    const run = { ...id, generation: found.generation, fence: (fence += 100n), tokenDigest: digestOf('last') };
    expect((await bed.worker.begin(run)).verdict).toBe('begun');
    expect((await bed.apply(run, rowsOf(['y', 1]))).verdict).toBe('applied');
  }
  await expectTheDiagram();
  expect(await bed.ledger.imbalance(namespace)).toEqual([]);
  const { rows } = await bed.owner.pool.query('select import_id from (select distinct import_id, generation from stock_moves where namespace = $1) m group by import_id having count(*) > 1', [namespace]);
  expect(rows).toEqual([]);
  const applied = (await bed.ledger.list(namespace, { states: ['applied'], limit: 10 })).length;
  expect((await bed.owner.pool.query('select from applied_batches where namespace = $1', [namespace])).rowCount).toBe(applied);
  expect((await bed.quantities(namespace))['y'] ?? 0n).toBe(BigInt(applied));
});

/** Numbers below a bound, the same in every run of the test. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

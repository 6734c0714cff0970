import { createLogger } from '@leasehold/service';
import { LeaseLost } from '@leasehold/worker-runtime';
import { Failpoints, testJob } from '@leasehold/worker-runtime/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Failpoint } from '../testing/failpoints.js';
import { pausingHandler } from '../testing/pausing-handler.js';
import { openShipmentBed, type ShipmentBed } from '../testing/shipment-bed.js';
import { importHandler } from './import-handler.js';
import type { ImportOrder } from './import-order.js';

// Shipments and what happens to their runs, in any order, against a model that is a map of quantities. LEASEHOLD_PROPERTY_RUNS makes it longer.

const numRuns = Number(process.env['LEASEHOLD_PROPERTY_RUNS'] ?? 12);
const log = createLogger({ service: 'import-worker', level: 'silent' });
const batches = ['a', 'b', 'c'] as const;
let bed: ShipmentBed;
let worlds = 0;
beforeAll(async () => {
  bed = await openShipmentBed();
});
afterAll(() => bed.close());

const rows = fc.array(fc.tuple(fc.constantFrom('X', 'Y', 'Z'), fc.integer({ min: -4, max: 9 })), { minLength: 1, maxLength: 5 });
const point = fc.constantFrom<Failpoint>('granted', 'reading', 'copied', 'committed');
const batch = fc.constantFrom(...batches);
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const), batch }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('abort' as const), batch, point }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('overtake' as const), batch, point }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('race' as const), batch }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), batch }) },
);
const script = fc.record({ files: fc.tuple(rows, rows, rows), actions: fc.array(action, { minLength: 1, maxLength: 10 }) });

type Stock = Readonly<Record<string, number>>;
const plus = (stock: Stock, file: readonly (readonly [string, number])[]): Record<string, number> => {
  const next: Record<string, number> = { ...stock };
  for (const [sku, quantity] of file) next[sku] = (next[sku] ?? 0) + quantity;
  return next;
};

/** What the ledger must hold, worked out without it. */
class Model {
  stock: Record<string, number> = {};
  readonly state = new Map<string, 'accepted' | 'applied' | 'rejected' | 'cancelled'>();

  /** A run got as far as its commit. */
  decide(id: string, file: readonly (readonly [string, number])[]): void {
    if (this.state.get(id) !== 'accepted') return;
    const next = plus(this.stock, file);
    const sums = plus({}, file);
    const refused = Object.entries(sums).some(([sku, sum]) => sum < 0 && (next[sku] ?? 0) < 0);
    this.state.set(id, refused ? 'rejected' : 'applied');
    if (!refused) this.stock = next;
  }
}

test('whatever happens to runs, a batch is applied at most once, all of it or nothing, and every answer of success is the same', async () => {
  await fc.assert(fc.asyncProperty(script, async ({ files, actions }) => {
    const namespace = `world-${worlds += 1}`;
    const model = new Model();
    const orders = new Map<string, ImportOrder>();
    const fileOf = new Map(batches.map((id, i) => [id, files[i] ?? []] as const));
    for (const [id, file] of fileOf) {
      orders.set(id, (await bed.submit(id, `sku,quantity\n${file.map((row) => row.join(',')).join('\n')}\n`, { namespace })).order);
      model.state.set(id, 'accepted');
    }
    const answers = new Map<string, unknown[]>(batches.map((id) => [id, []]));
    let fence = 0n;
    const nextJob = (id: string) => {
      const order = orders.get(id);
      if (order === undefined) throw new Error(`no batch ${id}`);
      fence += 1n;
      return testJob(order, { namespace, fence, tokenDigest: Buffer.alloc(32, Number(fence)) });
    };
    const ended = (id: string, run: Promise<unknown>): Promise<void> => run.then((result) => { answers.get(id)?.push(result); }, () => undefined);

    for (const step of actions) {
      const file = fileOf.get(step.batch) ?? [];
      if (step.kind === 'cancel') {
        await bed.ledger.ledger.cancel({ namespace, importId: step.batch });
        if (model.state.get(step.batch) === 'accepted') model.state.set(step.batch, 'cancelled');
      } else if (step.kind === 'run') {
        await ended(step.batch, importHandler(bed.parts).run(nextJob(step.batch).job));
        model.decide(step.batch, file);
      } else if (step.kind === 'race') {
        await Promise.all([0, 1].map(() => ended(step.batch, importHandler(bed.parts).run(nextJob(step.batch).job))));
        // The later of the two fences wins unless the earlier one had committed; either way one of them decides.
        model.decide(step.batch, file);
      } else {
        const failpoints = new Failpoints<Failpoint>({ points: [step.point], stops: 1, logger: log });
        const { job, stop } = nextJob(step.batch);
        let over = false;
        const first = ended(step.batch, pausingHandler(bed.parts, failpoints).run(job)).finally(() => { over = true; });
        await vi.waitFor(() => expect(over || failpoints.waiting === 1).toBe(true), { timeout: 10_000, interval: 2 });
        if (failpoints.waiting === 1 && step.point === 'committed') model.decide(step.batch, file);
        if (step.kind === 'abort') stop(new LeaseLost());
        else {
          await ended(step.batch, importHandler(bed.parts).run(nextJob(step.batch).job));
          model.decide(step.batch, file);
        }
        failpoints.release();
        await first;
      }
    }

    const quantities = await bed.ledger.quantities(namespace);
    const expected = Object.entries(model.stock).map(([sku, quantity]) => [sku, BigInt(quantity)] as const);
    // A SKU that only ever came to 0 may stand in stock or not.
    expect({ ...Object.fromEntries(expected.map(([sku]) => [sku, 0n])), ...quantities }).toEqual(Object.fromEntries(expected));
    expect(await bed.ledger.imbalance(namespace)).toEqual([]);
    const { rows: [{ applied, generation } = { applied: undefined, generation: undefined }] } = await bed.ledger.owner.pool.query<{ applied: bigint; generation: bigint | null }>(
      'select count(*) as applied, (select generation from catalogues where namespace = $1) as generation from applied_batches where namespace = $1', [namespace]);
    expect([applied, generation ?? 0n]).toEqual([BigInt([...model.state.values()].filter((state) => state === 'applied').length), applied]);
    for (const id of batches) {
      const record = await bed.ledger.ledger.find({ namespace, importId: id });
      expect([id, record?.state]).toEqual([id, model.state.get(id)]);
      // Nobody is told of a success that is none, nor of another than the ledger's.
      for (const answer of answers.get(id) ?? []) expect(answer).toEqual(record?.result);
    }
  }), { numRuns });
}, 120_000);

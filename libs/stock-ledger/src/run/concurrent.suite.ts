import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestbed, openTransaction, rowsOf, runOf, submission, waitingForLocks, type Testbed } from '../testbed/ledger.fixture.js';

describe('runs at once', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  const skus = Array.from({ length: 2000 }, (_, i) => `sku-${String(i).padStart(4, '0')}`);

  test('imports over the same SKUs in opposite orders, some taking, lose no unit, and none ever waits for one that waits for it', async () => {
    await bed.ship('base', 1n, rowsOf(...skus.map((sku) => [sku, 100] as const)));
    const shipments = Array.from({ length: 8 }, (_, i) => rowsOf(...(i % 2 === 0 ? skus : skus.toReversed()).map((sku) => [sku, i < 6 ? i + 1 : -i] as const)));
    const runs = await Promise.all(shipments.map(async (rows, i) => {
      await bed.ledger.accept(submission(`both-${i}`, 'a'));
      const run = runOf(`both-${i}`, 1n);
      await bed.worker.begin(run);
      const opened = await bed.worker.openRun(run);
      await opened.copyRows([rows]);
      return opened;
    }));
    let tries = 0;
    const answers = await Promise.all(runs.map(async (run) => run.apply(() => {
      tries += 1;
      return 60_000;
    })));
    for (const run of runs) run.close();
    expect(answers.map((a) => a.verdict)).toEqual(shipments.map(() => 'applied'));
    expect(tries).toBe(shipments.length);
    expect(new Set(Object.values(await bed.quantities()))).toEqual(new Set([100n + 21n - 13n]));
    expect(await bed.ledger.imbalance('shop')).toEqual([]);
    expect((await bed.ledger.stock('shop', ['sku-0000'])).catalogue.generation).toBe(9n);
  });

  test('twenty runs of one batch at once apply it once', async () => {
    await bed.ledger.accept(submission('once', 'a'));
    const runs = Array.from({ length: 20 }, (_, i) => runOf('once', BigInt(100 + i)));
    const answers = await Promise.all(runs.map(async (run) => {
      await bed.worker.begin(run);
      return bed.apply(run, rowsOf(['once', 7]));
    }));
    expect(answers.filter((a) => a.verdict === 'applied')).toHaveLength(1);
    expect((await bed.quantities())['once']).toBe(7n);
  });

  test('two batches that together take too much: one is refused', async () => {
    await bed.ship('scarce', 1n, rowsOf(['scarce', 10]));
    const answers = await Promise.all([1, 2, 3].map(async (i) => bed.ship(`take-${i}`, 1n, rowsOf(['scarce', -6]))));
    expect(answers.map((a) => a.verdict).toSorted()).toEqual(['applied', 'refused', 'refused']);
    expect((await bed.quantities())['scarce']).toBe(4n);
  });

  test('a deadlock is repeated within the attempt', async () => {
    await bed.ship('dead-base', 1n, rowsOf(['dead-a', 1], ['dead-z', 1]));
    const other = await openTransaction(bed.owner);
    // It never looks for a deadlock itself: the apply does, and gives way.
    await other.query("select set_config('deadlock_timeout', '10min', true), set_config('lock_timeout', '60s', true)");
    await other.query("select from stock where sku = 'dead-z' for update");
    const shipping = bed.ship('dead', 1n, rowsOf(['dead-z', 1], ['dead-a', 1]));
    await waitingForLocks(bed.owner);
    // Against the order of every apply: one of the two must give way.
    await other.query("select from stock where sku = 'dead-a' for update");
    await other.commit();
    expect((await shipping).verdict).toBe('applied');
    expect(await bed.quantities()).toMatchObject({ 'dead-a': 2n, 'dead-z': 2n });
  });
});

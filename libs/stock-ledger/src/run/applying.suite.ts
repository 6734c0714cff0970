import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestbed, openTransaction, rowsOf, runOf, submission, waitingForLocks, type Testbed } from '../testbed/ledger.fixture.js';

describe('applying', () => {
  let bed: Testbed;
  let batch = '';
  let counter = 0;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(async () => {
    expect(await bed.ledger.imbalance('shop')).toEqual([]);
    await bed.stop();
  });
  beforeEach(() => {
    batch = `b${(counter += 1)}`;
  });

  const accept = async () => bed.ledger.accept(submission(batch, 'a'));
  const begun = async (fence = 10n, generation = 1) => {
    const run = runOf(batch, fence, generation);
    expect((await bed.worker.begin(run)).verdict).toBe('begun');
    return run;
  };

  test('a shipment changes stock, its moves, the catalogue and the journal together, and says what it did', async () => {
    await bed.ledger.accept(submission(batch, 'a', 'whole'));
    const run = runOf(batch, 10n, 1, 'whole');
    await bed.worker.begin(run);
    const applied = await bed.apply(run, rowsOf(['b\\1\t2', 3], ['a', 5], ['b\\1\t2', -1], ['zero', 0], ['evens', 4], ['evens', -4]));
    expect(applied).toMatchObject({
      verdict: 'applied',
      import: { state: 'applied', endedBy: 'run', result: { rows: 6n, zeroRows: 1n, skus: 4n, duplicateRows: 2n, unitsIn: 12n, unitsOut: 5n, catalogueGeneration: 1n } },
    });
    expect(await bed.quantities('whole')).toEqual({ a: 5n, 'b\\1\t2': 2n });
    expect(await bed.ledger.moves({ namespace: 'whole', importId: batch }, { limit: 10 })).toEqual([{ warehouse: '', sku: 'a', quantity: 5n, line: 3, rowCount: 1 }, { warehouse: '', sku: 'b\\1\t2', quantity: 2n, line: 2, rowCount: 2 }]);
    expect(await bed.ledger.find({ namespace: 'whole', importId: batch })).toEqual(applied.verdict === 'applied' ? applied.import : undefined);
  });

  test('a batch without rows is applied and changes nothing', async () => {
    await accept();
    expect(await bed.apply(await begun(), [])).toMatchObject({ verdict: 'applied', import: { result: { rows: 0n, skus: 0n, duplicateRows: 0n, unitsIn: 0n, unitsOut: 0n } } });
  });

  test('a repeat of an applied run answers its result and changes nothing', async () => {
    await accept();
    const run = await begun();
    const first = await bed.apply(run, rowsOf(['again', 1]));
    const second = await bed.apply(run, rowsOf(['again', 1]));
    expect(second).toMatchObject({ verdict: 'already_applied', import: { result: first.verdict === 'applied' ? first.import.result : {} } });
    expect((await bed.quantities())['again']).toBe(1n);
  });

  test.each([
    ['a run that a later one superseded', async () => { const run = await begun(); await begun(20n); return run; }],
    ['a run that never began', async () => runOf(batch, 10n)],
    ['a run with another token', async () => ({ ...await begun(), tokenDigest: Buffer.alloc(32) })],
    ['a run of another generation', async () => ({ ...await begun(), generation: 2 })],
    ['a run with a larger fence that was not stamped', async () => ({ ...await begun(), fence: 11n })],
  ])('%s cannot apply', async (_, stale) => {
    await accept();
    expect(await bed.apply(await stale(), rowsOf(['stale', 1]))).toMatchObject({ verdict: 'lost', import: { state: 'accepted' } });
    expect((await bed.quantities())['stale']).toBeUndefined();
  });

  test('an import that does not exist cannot be applied', async () => {
    expect(await bed.apply(runOf(batch, 10n), rowsOf(['none', 1]))).toEqual({ verdict: 'unknown' });
  });

  test('an apply is judged by what it finds behind the row\'s lock, and timed by the clock there', async () => {
    await accept();
    const run = await begun();
    const later = await openTransaction(bed.owner);
    await later.query('update imports set fence = 11, token_digest = null where import_id = $1', [batch]);
    const applying = bed.apply(run, rowsOf(['behind', 1]));
    await waitingForLocks(bed.owner);
    await later.commit();
    expect((await applying).verdict).toBe('lost');

    const winner = await begun(12n);
    const holder = await openTransaction(bed.owner);
    await holder.query('select from imports where import_id = $1 for update', [batch]);
    const waiting = bed.apply(winner, rowsOf(['behind', 1]));
    await waitingForLocks(bed.owner);
    const [row] = await holder.query('select clock_timestamp() as now');
    await holder.commit();
    const applied = await waiting;
    expect(applied.verdict === 'applied' && row?.['now'] instanceof Date && applied.import.result !== undefined && applied.import.result.applyTime >= row['now']).toBe(true);
  });

  test.each([
    ['begin', async (run: ReturnType<typeof runOf>) => bed.worker.begin({ ...run, fence: 15n }), 'superseded'],
    ['reject', async (run: ReturnType<typeof runOf>) => bed.worker.reject(run, { reason: 'SKU', faults: [], faultCount: 1 }), 'lost'],
  ] as const)('%s too is judged behind the row\'s lock', async (_, call, verdict) => {
    await accept();
    const run = await begun();
    const later = await openTransaction(bed.owner);
    await later.query('update imports set fence = 20, token_digest = $2 where import_id = $1', [batch, Buffer.alloc(32)]);
    const calling = call(run);
    await waitingForLocks(bed.owner);
    await later.commit();
    expect((await calling).verdict).toBe(verdict);
  });

  test('stock below 0 is refused on the batch\'s sum, with the first line of each SKU, and nothing changes', async () => {
    await bed.ship(`${batch}-stock`, 5n, rowsOf(['n-enough', 5], ['n-short', 5]));
    await accept();
    const run = await begun();
    const many = Array.from({ length: 150 }, (_, i) => [`n-new-${String(i).padStart(3, '0')}`, -1] as const);
    expect(await bed.apply(run, rowsOf(['n-enough', -9], ['n-short', -4], ['n-enough', 4], ['n-other', 7], ['n-short', -2], ...many))).toMatchObject({
      verdict: 'refused', faultCount: 151n, import: { state: 'accepted' },
      faults: [
        { code: 'NEGATIVE_STOCK', line: 3, sku: 'n-short', inStock: 5n, change: -6n },
        ...many.slice(0, 99).map(([sku], i) => ({ code: 'NEGATIVE_STOCK', line: 7 + i, sku, inStock: 0n, change: -1n })),
      ],
    });
    expect(await bed.quantities()).toMatchObject({ 'n-enough': 5n, 'n-short': 5n });
    expect((await bed.quantities())['n-other']).toBeUndefined();
    // The batch is not ended: the run rejects it, or the next one finds enough.
    expect((await bed.apply(run, rowsOf(['n-short', -5]))).verdict).toBe('applied');
  });

  test('sums beyond 32 bits are exact, and those beyond 64 bits are refused', async () => {
    const int32 = 2_147_483_647;
    await bed.ship(`${batch}-big`, 5n, rowsOf(['big', int32], ['big', int32], ['big', int32]));
    expect((await bed.quantities())['big']).toBe(6_442_450_941n);
    await bed.ship(`${batch}-full`, 5n, rowsOf(['full', 1]));
    await bed.owner.pool.query("update stock set quantity = 9223372036854775800 where sku = 'full'");
    await accept();
    expect(await bed.apply(await begun(), rowsOf(['full-other', 1], ['full', int32]))).toMatchObject({
      verdict: 'refused', faultCount: 1n, faults: [{ code: 'LIMIT', line: 3, sku: 'full', inStock: 9223372036854775800n, change: BigInt(int32) }],
    });
    expect((await bed.quantities())['full-other']).toBeUndefined();
    await bed.owner.pool.query("update stock set quantity = 1 where sku = 'full'");
  });

  test('an apply ends before its lease does, and leaves nothing', async () => {
    await accept();
    const run = await begun();
    const holder = await openTransaction(bed.owner);
    await holder.query('select from imports where import_id = $1 for update', [batch]);
    const end = performance.now() + 500;
    await expect(bed.apply(run, rowsOf(['slow', 1]), () => end - performance.now())).rejects.toThrow(expect.objectContaining({ name: 'LedgerAway' }));
    await holder.commit();
    expect((await bed.quantities())['slow']).toBeUndefined();
    await expect(bed.apply(run, rowsOf(['slow', 1]), () => 0)).rejects.toThrow('no time is left');
  });

  test('a wait for a lock is repeated while the lease lasts', async () => {
    await accept();
    const run = await begun();
    const holder = await openTransaction(bed.owner);
    await holder.query('select from imports where import_id = $1 for update', [batch]);
    let tries = 0;
    const applied = await bed.apply(run, rowsOf(['waited', 1]), () => {
      tries += 1;
      if (tries === 2) void holder.commit();
      return 900;
    });
    expect(applied.verdict).toBe('applied');
    expect(tries).toBeGreaterThan(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

describe('the archive', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  const day = 86_400_000;
  /** As if it had happened so many days ago. */
  const age = async (importId: string, days: number) => {
    const ago = [importId, days];
    await bed.owner.pool.query("update stock_moves set apply_time = apply_time - $2 * interval '1 day' where import_id = $1", ago);
    await bed.owner.pool.query("update import_row_errors set reject_time = reject_time - $2 * interval '1 day' where import_id = $1", ago);
    await bed.owner.pool.query("update imports set end_time = end_time - $2 * interval '1 day' where import_id = $1", ago);
  };
  const counts = async () => (await bed.owner.pool.query<Record<string, bigint>>(
    'select (select count(*) from stock_moves) as moves, (select count(*) from stock_moves_archive) as old_moves, (select count(*) from import_row_errors) as errors, (select count(*) from import_row_errors_archive) as old_errors')).rows[0];
  const archiveAll = async (limit: number, run = async () => bed.ledger.archive({ olderThanMs: 90 * day, limit })) => {
    let moved = 0;
    for (let n = await run(); n > 0; n = await run()) moved += n;
    return moved;
  };

  test('old moves and row errors move to tables by month, a bounded number at a time, and are read as before', async () => {
    await bed.ship('old', 1n, rowsOf(['a', 5], ['b', 6], ['c', 7]));
    await bed.ship('older', 1n, rowsOf(['a', 5], ['d', 6]));
    await bed.ship('new', 1n, rowsOf(['a', -2]));
    await bed.ledger.accept(submission('refused', 'a'));
    const run = runOf('refused', 1n);
    await bed.worker.begin(run);
    await bed.worker.reject(run, { reason: 'SKU', faults: [1, 2, 3].map((line) => ({ line, column: 'sku', code: 'SKU', message: `=line ${line}` })), faultCount: 3 });
    for (const [importId, days] of [['old', 100], ['older', 200], ['refused', 100]] as const) await age(importId, days);
    const read = async () => [
      await bed.ledger.moves({ namespace: 'shop', importId: 'old' }, { limit: 10 }), await bed.ledger.rowErrors({ namespace: 'shop', importId: 'refused' }, { limit: 10 }),
      await bed.ledger.moves({ namespace: 'shop', importId: 'old' }, { limit: 1, after: { warehouse: '', sku: 'a' } }), await bed.ledger.rowErrors({ namespace: 'shop', importId: 'refused' }, { limit: 1, afterPosition: 1 }),
      await bed.ledger.imbalance('shop'),
    ];
    const before = await read();
    expect(before[4]).toEqual([]);
    expect(before[3]).toEqual([{ position: 2, line: 2, column: 'sku', code: 'SKU', message: '=line 2' }]);

    expect(await bed.ledger.archive({ olderThanMs: 90 * day, limit: 2 })).toBeLessThanOrEqual(4);
    expect(await read()).toEqual(before);
    await archiveAll(2);
    expect(await counts()).toEqual({ moves: 1n, old_moves: 5n, errors: 0n, old_errors: 3n });
    expect(await read()).toEqual(before);
    const { rows } = await bed.owner.pool.query("select inhrelid::regclass::text as name from pg_inherits where inhparent = 'stock_moves_archive'::regclass");
    expect(rows.length).toBe(2);
  });

  test('two archive duties at once move each row once', async () => {
    for (let i = 0; i < 5; i++) {
      await bed.ship(`twice-${i}`, 1n, rowsOf(...Array.from({ length: 40 }, (_, k) => [`t-${k}`, 1] as const)));
      await age(`twice-${i}`, 300 + i * 31);
    }
    const moved = await Promise.all([archiveAll(7), archiveAll(11)]);
    expect(moved.reduce((a, b) => a + b)).toBe(200);
    expect(await bed.ledger.imbalance('shop')).toEqual([]);
    expect((await bed.ledger.moves({ namespace: 'shop', importId: 'twice-0' }, { limit: 100 })).length).toBe(40);
  });

  test('an archive duty that is to stop stops before its next statement', async () => {
    await bed.ship('stopped', 1n, rowsOf(['a', 1]));
    await age('stopped', 300);
    expect(await bed.ledger.archive({ olderThanMs: 90 * day, limit: 10, signal: AbortSignal.abort() })).toBe(0);
  });
});

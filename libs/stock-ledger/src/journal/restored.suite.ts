import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

describe('a journal that was restored', () => {
  // The journal's row of an applied batch as an older backup has it, or not at all: applied_batches alone must keep the stock from changing twice.
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
  beforeEach(async () => {
    batch = `b${(counter += 1)}`;
    await bed.ship(batch, 10n, rowsOf([batch, 5]));
  });

  const id = () => ({ namespace: 'shop', importId: batch });
  const unapplied = `outcome_fence = 0, token_digest = null, idempotency_expire_time = null, rows = null, zero_rows = null, skus = null, duplicate_rows = null, units_in = null, units_out = null, catalogue_generation = null`;
  const restore = async (how: string) => {
    if (how === 'lost') await bed.owner.pool.query('delete from imports where import_id = $1', [batch]);
    else if (how === 'accepted') await bed.owner.pool.query(`update imports set state = 'accepted', fence = 0, ended_by = null, end_time = null, ${unapplied} where import_id = $1`, [batch]);
    else await bed.owner.pool.query(`update imports set state = 'rejected', rejection_reason = 'EXHAUSTED', fault_count = 0, ended_by = 'outcome', ${unapplied} where import_id = $1`, [batch]);
  };
  const expectHealed = async () => {
    expect(await bed.ledger.find(id())).toMatchObject({ state: 'applied', generation: 1, contentDigest: digestOf(batch), result: { rows: 1n, skus: 1n, unitsIn: 5n }, endedBy: 'run' });
    expect((await bed.quantities())[batch]).toBe(5n);
  };

  test.each(['accepted', 'rejected', 'lost'])('a batch whose row came back %s is answered as APPLIED when it is submitted again', async (how) => {
    await restore(how);
    expect(await bed.ledger.accept(submission(batch, batch))).toMatchObject({ verdict: 'same', import: { state: 'applied' } });
    await expectHealed();
  });

  test.each(['accepted', 'rejected', 'lost'])('other content conflicts with a batch whose row came back %s', async (how) => {
    await restore(how);
    expect(await bed.ledger.accept(submission(batch, 'other'))).toMatchObject({ verdict: 'conflict', import: { state: 'applied', contentDigest: digestOf(batch) } });
    await expectHealed();
  });

  test.each(['accepted', 'rejected', 'lost'])('a run finds a batch ended whose row came back %s', async (how) => {
    await restore(how);
    expect(await bed.worker.begin(runOf(batch, 20n))).toMatchObject({ verdict: 'ended', import: { state: 'applied' } });
    await expectHealed();
  });

  test('a run that began before its row was replaced cannot apply again', async () => {
    await restore('accepted');
    const run = runOf(batch, 30n);
    await bed.owner.pool.query('update imports set fence = 30, token_digest = $2 where import_id = $1', [batch, run.tokenDigest]);
    expect(await bed.apply(run, rowsOf([batch, 5]))).toMatchObject({ verdict: 'already_applied', import: { state: 'applied', result: { rows: 1n } } });
    await expectHealed();
  });

  test.each(['accepted', 'rejected'])('outcomes, cancels and retries find a batch APPLIED whose row came back %s', async (how) => {
    await restore(how);
    expect(await bed.ledger.settle({ ...id(), generation: 1, outcome: { kind: 'refused', reason: 'EXHAUSTED' }, outcomeFence: 40n })).toMatchObject({ verdict: 'kept', import: { state: 'applied' } });
    await expectHealed();
    await restore(how);
    expect(await bed.ledger.cancel(id())).toMatchObject({ verdict: 'ended', import: { state: 'applied' } });
    await restore(how);
    const found = await bed.ledger.find(id());
    expect(await bed.ledger.retry(id(), found?.revision ?? 0n)).toMatchObject({ verdict: 'not_rejected', import: { state: 'applied' } });
    await expectHealed();
  });

  test('a rejection by a run cannot end a batch that is applied', async () => {
    await restore('accepted');
    const run = runOf(batch, 30n);
    await bed.owner.pool.query('update imports set fence = 30, token_digest = $2 where import_id = $1', [batch, run.tokenDigest]);
    expect(await bed.worker.reject(run, { reason: 'SKU', faults: [{ line: 1, column: 'sku', code: 'SKU', message: 'x' }], faultCount: 1 })).toMatchObject({ verdict: 'ended', import: { state: 'applied' } });
    expect((await bed.owner.pool.query('select from import_row_errors where import_id = $1', [batch])).rowCount).toBe(0);
    await expectHealed();
  });
});

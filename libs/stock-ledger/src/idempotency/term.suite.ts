import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setIdempotencyTerm } from '../index.js';
import { openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

describe('the idempotency term', () => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());

  const day = 86_400_000;
  /** As if the term had ended a moment ago. */
  const expire = async (importId: string) => {
    for (const [table, column] of [['imports', 'idempotency_expire_time'], ['applied_batches', 'expire_time']]) await bed.owner.pool.query(`update ${table} set ${column} = clock_timestamp() - interval '1 ms' where import_id = $1`, [importId]);
  };

  test('without a term nothing is ever forgotten, and no time is shown', async () => {
    const applied = await bed.ship('for-ever', 1n, rowsOf(['a', 1]));
    expect(applied).toMatchObject({ verdict: 'applied', import: { idempotencyExpireTime: undefined } });
    expect(await bed.ledger.forgetExpired(100)).toBe(0);
  });

  test('a term is shown from the submission on, counts from the apply, and is a namespace\'s own where it has one', async () => {
    await setIdempotencyTerm(bed.owner, '', 30 * day);
    await setIdempotencyTerm(bed.owner, 'kept', undefined);
    await setIdempotencyTerm(bed.owner, 'short', 2 * day);
    for (const [namespace, days] of [['shop', 30], ['short', 2]] as const) {
      const { import: accepted } = await bed.ledger.accept(submission('shown', 'shown', namespace));
      expect(Math.round(((accepted.idempotencyExpireTime?.getTime() ?? 0) - accepted.acceptTime.getTime()) / day)).toBe(days);
      const applied = await bed.ship('shown', 1n, rowsOf(['a', 1]), namespace);
      const record = applied.verdict === 'applied' ? applied.import : undefined;
      expect((record?.idempotencyExpireTime?.getTime() ?? 0) - (record?.endTime?.getTime() ?? 0)).toBe(days * day);
    }
    expect((await bed.ledger.accept(submission('shown', 'shown', 'kept'))).import.idempotencyExpireTime).toBeUndefined();
  });

  test('until its term ends a batch is the same import; afterwards its id is free, the moment it ends and whatever the duty did', async () => {
    await setIdempotencyTerm(bed.owner, '', 30 * day);
    await bed.ship('limited', 1n, rowsOf(['limited', 5]));
    expect(await bed.ledger.accept(submission('limited', 'limited'))).toMatchObject({ verdict: 'same', import: { state: 'applied' } });
    expect((await bed.ledger.accept(submission('limited', 'other'))).verdict).toBe('conflict');
    expect(await bed.ledger.forgetExpired(100)).toBe(0);
    await expire('limited');
    const answers = await Promise.all([1, 2, 3, 4, 5].map(async () => bed.ledger.accept(submission('limited', 'limited'))));
    expect(answers.map((a) => a.verdict).toSorted()).toEqual(['reopened', 'same', 'same', 'same', 'same']);
    expect((await bed.worker.begin(runOf('limited', 5n, 1))).verdict).toBe('superseded');
    const run = runOf('limited', 6n, 2);
    await bed.worker.begin(run);
    expect((await bed.apply(run, rowsOf(['limited', 5]))).verdict).toBe('applied');
    expect((await bed.quantities())['limited']).toBe(10n);
    expect(await bed.ledger.imbalance('shop')).toEqual([]);
  });

  test('the duty forgets what is over and nothing else, a bounded number at a time; the journal keeps the import and its result', async () => {
    await setIdempotencyTerm(bed.owner, '', 30 * day);
    for (const importId of ['over-1', 'over-2', 'over-3', 'not-over']) await bed.ship(importId, 1n, rowsOf(['a', 1]));
    for (const importId of ['over-1', 'over-2', 'over-3']) await expire(importId);
    expect(await bed.ledger.forgetExpired(2)).toBe(2);
    expect(await bed.ledger.forgetExpired(2)).toBe(1);
    expect(await bed.ledger.forgetExpired(2)).toBe(0);
    expect(await bed.ledger.find({ namespace: 'shop', importId: 'over-1' })).toMatchObject({ state: 'applied', result: { rows: 1n } });
    expect((await bed.owner.pool.query("select from applied_batches where import_id = 'not-over'")).rowCount).toBe(1);
  });

  test('a late repeat of a forgotten batch\'s own run finds it applied', async () => {
    await setIdempotencyTerm(bed.owner, '', 30 * day);
    await bed.ledger.accept(submission('repeated', 'a'));
    const run = runOf('repeated', 1n);
    await bed.worker.begin(run);
    await bed.apply(run, rowsOf(['repeated', 1]));
    await expire('repeated');
    await bed.ledger.forgetExpired(100);
    expect((await bed.apply(run, rowsOf(['repeated', 1]))).verdict).toBe('already_applied');
    expect((await bed.quantities())['repeated']).toBe(1n);
  });
});

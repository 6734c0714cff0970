import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

describe('the journal', () => {
  let bed: Testbed;
  let batch = '';
  let counter = 0;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());
  beforeEach(() => {
    batch = `b${(counter += 1)}`;
  });

  const id = () => ({ namespace: 'shop', importId: batch });
  const accept = async (content: string) => bed.ledger.accept(submission(batch, content));
  const begun = async (fence: bigint, generation = 1) => {
    const run = runOf(batch, fence, generation);
    expect((await bed.worker.begin(run)).verdict).toBe('begun');
    return run;
  };
  const refusal = (line: number) => ({ reason: 'SKU', faults: [{ line, column: 'sku', code: 'SKU', message: 'is empty' }], faultCount: 250 });
  const refused = { kind: 'refused', reason: 'EXHAUSTED' } as const;
  const settle = async (outcomeFence: bigint, outcome: Parameters<typeof bed.ledger.settle>[0]['outcome'] = refused, generation = 1) =>
    bed.ledger.settle({ ...id(), generation, outcome, outcomeFence });

  test('fifty submissions of one shipment at once are one import', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, async () => accept('a')));
    expect(answers.filter((a) => a.verdict === 'accepted')).toHaveLength(1);
    expect(answers.filter((a) => a.verdict === 'same')).toHaveLength(49);
    expect(new Set(answers.map((a) => a.import.seq)).size).toBe(1);
  });

  test('the same id with other content is a conflict that knows both digests, while ACCEPTED and once APPLIED', async () => {
    await accept('a');
    expect(await accept('b')).toMatchObject({ verdict: 'conflict', import: { state: 'accepted', contentDigest: digestOf('a') } });
    await bed.apply(await begun(10n), rowsOf(['conflict', 1]));
    expect(await accept('b')).toMatchObject({ verdict: 'conflict', import: { state: 'applied', contentDigest: digestOf('a') } });
    expect(await accept('a')).toMatchObject({ verdict: 'same', import: { state: 'applied', generation: 1 } });
  });

  test('after REJECTED a corrected file is taken under a new generation, and no fence falls', async () => {
    await accept('a');
    await bed.worker.reject(await begun(50n), refusal(2));
    expect(await accept('a')).toMatchObject({ verdict: 'same', import: { state: 'rejected' } });
    expect(await accept('b')).toMatchObject({ verdict: 'reopened', import: { state: 'accepted', generation: 2, fence: 50n, outcomeFence: 50n, contentDigest: digestOf('b'), rejection: undefined } });
    expect((await bed.worker.begin(runOf(batch, 40n, 2))).verdict).toBe('superseded');
    expect(await bed.apply(await begun(60n, 2), rowsOf(['corrected', 1]))).toMatchObject({ verdict: 'applied', import: { generation: 2 } });
  });

  test('fifty corrected files at once after REJECTED reopen it once', async () => {
    await accept('a');
    await bed.worker.reject(await begun(50n), refusal(2));
    const answers = await Promise.all(Array.from({ length: 50 }, async () => accept('b')));
    expect(answers.filter((a) => a.verdict === 'reopened')).toHaveLength(1);
    expect(new Set(answers.map((a) => a.import.generation))).toEqual(new Set([2]));
  });

  test('CANCELLED is final: the same content answers it, other content is a conflict, no run and no outcome moves it', async () => {
    await accept('a');
    const run = await begun(10n);
    expect(await bed.ledger.cancel(id())).toMatchObject({ verdict: 'cancelled', changed: true, import: { state: 'cancelled', endedBy: 'caller' } });
    expect(await bed.ledger.cancel(id())).toMatchObject({ verdict: 'cancelled', changed: false });
    expect(await accept('a')).toMatchObject({ verdict: 'same', import: { state: 'cancelled' } });
    expect((await accept('b')).verdict).toBe('conflict');
    expect(await bed.apply(run, rowsOf(['cancelled', 1]))).toMatchObject({ verdict: 'lost', import: { state: 'cancelled' } });
    expect(await bed.worker.reject(run, refusal(2))).toMatchObject({ verdict: 'ended', import: { state: 'cancelled' } });
    expect(await settle(11n)).toMatchObject({ verdict: 'kept', import: { state: 'cancelled' } });
    expect(await bed.ledger.retry(id(), 2n)).toMatchObject({ verdict: 'not_rejected' });
    expect((await bed.worker.begin(runOf(batch, 20n))).verdict).toBe('ended');
  });

  test('a run stamps its fence only upwards', async () => {
    await accept('a');
    const run = await begun(10n);
    expect((await bed.worker.begin(run)).verdict).toBe('begun');
    expect((await bed.worker.begin(runOf(batch, 10n))).verdict).toBe('superseded');
    await begun(12n);
    expect(await bed.worker.begin(run)).toMatchObject({ verdict: 'superseded', import: { fence: 12n } });
    expect((await bed.worker.begin(runOf(batch, 99n, 2))).verdict).toBe('superseded');
    expect((await bed.worker.begin(runOf('none', 1n))).verdict).toBe('unknown');
  });

  test('only the run that holds the fence rejects, and its repeat answers the same', async () => {
    await accept('a');
    const stale = await begun(10n);
    const run = await begun(12n);
    expect((await bed.worker.reject(stale, refusal(9))).verdict).toBe('lost');
    expect((await bed.worker.reject({ ...run, tokenDigest: digestOf('other') }, refusal(9))).verdict).toBe('lost');
    expect((await bed.worker.reject({ ...run, generation: 2 }, refusal(9))).verdict).toBe('lost');
    expect((await bed.worker.reject({ ...run, fence: 13n }, refusal(9))).verdict).toBe('lost');
    for (let i = 0; i < 2; i++) expect(await bed.worker.reject(run, refusal(7))).toMatchObject({ verdict: 'rejected', import: { rejection: { reason: 'SKU', faultCount: 250n } } });
    expect(await bed.ledger.rowErrors(id(), { limit: 10 })).toEqual([{ position: 1, line: 7, column: 'sku', code: 'SKU', message: 'is empty' }]);
    expect((await bed.worker.reject(runOf('none', 1n), refusal(1))).verdict).toBe('unknown');
  });

  test('an exhausted job ends the batch, and its late run can no longer apply', async () => {
    await accept('a');
    const run = await begun(10n);
    expect(await settle(11n)).toMatchObject({ verdict: 'ended', import: { state: 'rejected', endedBy: 'outcome', fence: 12n, rejection: { reason: 'EXHAUSTED' } } });
    expect(await bed.apply(run, rowsOf(['late', 1]))).toMatchObject({ verdict: 'lost', import: { state: 'rejected' } });
    expect((await bed.quantities())['late']).toBeUndefined();
  });

  test('the first fence after an outcome may begin, although the outcome raised the row\'s to it', async () => {
    await accept('a');
    await begun(10n);
    const { import: ended } = await settle(11n);
    await bed.ledger.retry(id(), ended?.revision ?? 0n);
    await begun(12n, 2);
  });

  test('a late outcome never undoes APPLIED', async () => {
    await accept('a');
    await bed.apply(await begun(10n), rowsOf(['stays', 1]));
    for (const [fence, outcome] of [[11n, refused], [12n, { kind: 'cancelled' }], [13n, { kind: 'succeeded' }], [10n, refused]] as const) {
      expect(await settle(fence, outcome)).toMatchObject({ verdict: 'kept', import: { state: 'applied', result: { rows: 1n }, rejection: undefined } });
    }
    expect(await bed.ledger.cancel(id())).toMatchObject({ verdict: 'ended', changed: false, import: { state: 'applied' } });
  });

  test('of two outcomes the one with the larger fence is shown, in whatever order they come', async () => {
    await accept('a');
    await settle(20n, { kind: 'refused', reason: 'TIMEOUT' });
    expect(await settle(10n)).toMatchObject({ verdict: 'kept', import: { rejection: { reason: 'TIMEOUT' }, outcomeFence: 20n } });
    expect(await settle(30n)).toMatchObject({ verdict: 'kept', import: { rejection: { reason: 'EXHAUSTED' }, outcomeFence: 30n } });
  });

  test('a run\'s own verdict on the content stands over its job\'s outcome', async () => {
    await accept('a');
    await bed.worker.reject(await begun(10n), refusal(2));
    expect(await settle(11n)).toMatchObject({ verdict: 'kept', import: { rejection: { reason: 'SKU' }, endedBy: 'run', outcomeFence: 11n } });
  });

  test('an outcome of an earlier generation changes nothing', async () => {
    await accept('a');
    await begun(10n);
    const { import: ended } = await settle(11n);
    await bed.ledger.retry(id(), ended?.revision ?? 0n);
    expect(await settle(12n, { kind: 'cancelled' }, 1)).toMatchObject({ verdict: 'superseded', import: { state: 'accepted', generation: 2, outcomeFence: 11n } });
  });

  test('an outcome whose fence is not larger than one that was heard ends nothing', async () => {
    await accept('a');
    const { import: ended } = await settle(20n);
    await bed.ledger.retry(id(), ended?.revision ?? 0n);
    for (const fence of [15n, 20n]) expect(await settle(fence, refused, 2)).toMatchObject({ verdict: 'superseded', import: { state: 'accepted', outcomeFence: 20n } });
  });

  test('a job that claims success while nothing is applied leaves the batch ACCEPTED under a new generation', async () => {
    await accept('a');
    const run = await begun(10n);
    expect(await settle(10n, { kind: 'succeeded' })).toMatchObject({ verdict: 'reopened', import: { state: 'accepted', generation: 2, fence: 11n } });
    expect(await settle(10n, { kind: 'succeeded' })).toMatchObject({ verdict: 'superseded' });
    expect((await bed.apply(run, rowsOf(['claimed', 1]))).verdict).toBe('lost');
    expect((await bed.apply(await begun(12n, 2), rowsOf(['claimed', 1]))).verdict).toBe('applied');
  });

  test('a retry reopens once, and its repeat is known', async () => {
    await accept('a');
    const { import: ended } = await settle(11n);
    const revision = ended?.revision ?? 0n;
    expect(await bed.ledger.retry(id(), revision + 1n)).toMatchObject({ verdict: 'stale' });
    const answers = await Promise.all(Array.from({ length: 10 }, async () => bed.ledger.retry(id(), revision)));
    expect(answers.map((a) => a.verdict).toSorted()).toEqual([...Array.from({ length: 9 }, () => 'repeated'), 'reopened'].toSorted());
    expect(answers.every((a) => a.import?.generation === 2)).toBe(true);
    expect((await bed.ledger.retry({ namespace: 'shop', importId: 'none' }, 1n)).verdict).toBe('unknown');
  });

  test('an import and the caller\'s own row are written together, or neither', async () => {
    await expect(bed.ledger.find(id())).resolves.toBeUndefined();
    await expect(bed.owner.transaction(async (tx) => {
      await bed.ledger.accept(submission(batch, 'a'), tx);
      throw new Error('the job could not be written');
    })).rejects.toThrow('the job could not be written');
    expect(await bed.ledger.find(id())).toBeUndefined();
  });

  test('the journal is read newest first, by states, in pages that neither repeat nor skip', async () => {
    for (let i = 1; i <= 5; i++) await bed.ledger.accept(submission(`page-${i}`, 'a', 'pages'));
    await bed.ledger.cancel({ namespace: 'pages', importId: 'page-4' });
    const first = await bed.ledger.list('pages', { limit: 2 });
    expect(first.map((i) => i.importId)).toEqual(['page-5', 'page-4']);
    expect((await bed.ledger.list('pages', { limit: 2, beforeSeq: first[1]?.seq })).map((i) => i.importId)).toEqual(['page-3', 'page-2']);
    expect((await bed.ledger.list('pages', { limit: 9, states: ['cancelled'] })).map((i) => i.importId)).toEqual(['page-4']);
    expect(await bed.ledger.countAccepted('pages', 100)).toBe(4);
    expect(await bed.ledger.countAccepted('pages', 2)).toBe(2);
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { LedgerAway, type LedgerRow } from '../index.js';
import { openTestbed, rowsOf, runOf, submission, type Testbed } from '../testbed/ledger.fixture.js';

describe('a run\'s connection', () => {
  let bed: Testbed;
  let batch = '';
  let counter = 0;
  beforeAll(async () => {
    bed = await openTestbed();
  });
  afterAll(() => bed.stop());
  beforeEach(async () => {
    batch = `b${(counter += 1)}`;
    await bed.ledger.accept(submission(batch, 'a'));
  });

  const begun = async () => {
    const run = runOf(batch, 10n);
    await bed.worker.begin(run);
    return run;
  };
  const kill = async (state: string) => bed.owner.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'worker' and query like $1", [state]);
  const temporaryTables = async () => (await bed.owner.pool.query("select relname from pg_class where relpersistence = 't' and relkind = 'r'")).rows;
  /** Rows for ever, until something ends the copy; `underWay` resolves once the server takes them. */
  function endless(): { batches: AsyncIterable<readonly LedgerRow[]>; underWay: Promise<void> } {
    let begun: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    async function* batches() {
      for (let i = 0; ; i++) {
        if (i === 200) begun();
        yield Array.from({ length: 500 }, (_, k) => ({ line: i * 500 + k + 1, sku: `s${k}`, quantity: 1 }));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { batches: batches(), underWay };
  }

  test('a run whose connection dies while it copies answers a technical fault, and the batch can be applied by the next', async () => {
    const opened = await bed.worker.openRun(await begun());
    const rows = endless();
    const copying = expect(opened.copyRows(rows.batches)).rejects.toBeInstanceOf(LedgerAway);
    await rows.underWay;
    await kill('%copy%import_rows%');
    await copying;
    await expect(opened.apply(() => 1000)).rejects.toThrow('a run applies what it has copied');
    expect((await bed.apply(await begun(), rowsOf(['after-kill', 1]))).verdict).toBe('lost');
    const next = runOf(batch, 11n);
    await bed.worker.begin(next);
    expect((await bed.apply(next, rowsOf(['after-kill', 1]))).verdict).toBe('applied');
  });

  test('a run whose connection dies between copy and apply answers a technical fault', async () => {
    const opened = await bed.worker.openRun(await begun());
    await opened.copyRows([rowsOf(['idle', 1])]);
    await kill('%count(*) filter (where quantity = 0)%');
    await expect(opened.apply(() => 1000)).rejects.toBeInstanceOf(LedgerAway);
    await expect(opened.apply(() => 1000)).rejects.toBeInstanceOf(LedgerAway);
  });

  test.each(['by its signal', 'by hand'])('an aborted run ends while it copies (%s), and its connection with it', async (how) => {
    const controller = new AbortController();
    const opened = await bed.worker.openRun(await begun(), { signal: controller.signal });
    const rows = endless();
    const copying = opened.copyRows(rows.batches);
    const ended = expect(copying).rejects.toThrow(how === 'by hand' ? LedgerAway : 'enough');
    await rows.underWay;
    if (how === 'by hand') opened.abort();
    else controller.abort(new Error('enough'));
    await ended;
    opened.close();
    await vi.waitFor(async () => expect(await temporaryTables()).toEqual([]), { timeout: 5000 });
  });

  test('what breaks in the source of the rows comes out as it is, and nothing of it stays', async () => {
    const opened = await bed.worker.openRun(await begun());
    async function* broken() {
      yield rowsOf(['broken', 1]);
      throw new Error('the file ended early');
    }
    await expect(opened.copyRows(broken())).rejects.toThrow('the file ended early');
    await vi.waitFor(async () => expect(await temporaryTables()).toEqual([]), { timeout: 5000 });
  });

  test.each([
    ['a quantity beyond 32 bits', [{ line: 1, sku: 'a', quantity: 2_147_483_648 }], 'out of range'],
    ['a SKU with a NUL', [{ line: 1, sku: 'a\0b', quantity: 1 }], 'invalid byte sequence'],
  ])('%s is the caller\'s fault, not a technical one', async (_, rows, message) => {
    const opened = await bed.worker.openRun(await begun());
    const copying = opened.copyRows([rows]);
    await expect(copying).rejects.toThrow(message);
    await expect(copying).rejects.not.toBeInstanceOf(LedgerAway);
    opened.close();
  });

  test('closed runs leave no connection, table or setting behind', async () => {
    const before = bed.workerDb.pool.totalCount;
    const opened = await bed.worker.openRun(await begun());
    await opened.copyRows([rowsOf(['left', 1])]);
    opened.close();
    opened.close();
    await vi.waitFor(async () => expect(await temporaryTables()).toEqual([]), { timeout: 5000 });
    expect(bed.workerDb.pool.totalCount).toBeLessThanOrEqual(before);
    expect((await bed.workerDb.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '10s' }]);
  });

  test('COPY text is taken whatever its chunks are, and SKUs come back byte for byte', async () => {
    const skus = ['a\\b', 'tab\there', 'line\nend\r', '\\.', '\\N', 'ž–🙂', ' '];
    const opened = await bed.worker.openRun(await begun());
    const text = Buffer.from(skus.map((sku, i) => `${i + 1}\t${sku.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}\t1\n`).join(''));
    async function* bytes() {
      for (const byte of text) yield Buffer.from([byte]);
    }
    expect(await opened.copyText(bytes())).toEqual({ rows: skus.length });
    expect((await opened.apply(() => 5000)).verdict).toBe('applied');
    opened.close();
    const rows = await bed.apply({ ...(await (async () => { const other = `${batch}-rows`; await bed.ledger.accept(submission(other, 'a')); const run = runOf(other, 1n); await bed.worker.begin(run); return run; })()) }, rowsOf(...skus.map((sku) => [sku, 1] as const)));
    expect(rows.verdict).toBe('applied');
    const stock = await bed.ledger.stock('shop', [...skus, randomBytes(4).toString('hex')]);
    expect(new Set(stock.items.map((i) => i.sku))).toEqual(new Set(skus));
    expect(stock.items.every((i) => i.quantity === 2n)).toBe(true);
  });

  test('nothing is opened for a run that was aborted before, and an unreachable database is a technical fault', async () => {
    const reason = new Error('enough');
    await expect(bed.worker.openRun(await begun(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

import { describe, expect, it } from 'vitest';
import { asCopyText, copyAll, readAll, verdicts } from '../testing/reading.fixture.js';

const layout = 'warehouses' as const;
const both = [{ layout, plainAheadBytes: 0 }, { layout, plainAheadBytes: Infinity }];
const file = (...rows: string[]): string => `warehouse,sku,operation,quantity,note\n${rows.join('\n')}\n`;

describe.each(both)('a row of a warehouse, %o', (options) => {
  it('says where, and what becomes of the stock; empty fields mean the default warehouse and an adjustment', async () => {
    const { rows, report } = await readAll(file('north,A,receive,5,', ',A,,-2,', 'N.1_a-b,"B,1",set,0,', ',C,adjust,0,x', ''), options);
    expect(verdicts({ report })).toEqual([]);
    expect(rows).toEqual([
      { line: 2, sku: 'A', quantity: 5, warehouse: 'north', operation: 'receive' },
      { line: 3, sku: 'A', quantity: -2, warehouse: '', operation: 'adjust' },
      { line: 4, sku: 'B,1', quantity: 0, warehouse: 'N.1_a-b', operation: 'set' },
      { line: 5, sku: 'C', quantity: 0, warehouse: '', operation: 'adjust' },
    ]);
    // A row that sets the stock to 0 is none that changes nothing.
    expect(report).toMatchObject({ rows: 4, zeroRows: 1, rejectedRows: 0, ignoredColumns: ['note'] });
  });

  it.each(['-north', ' north', 'north ', 'a b', 'Ж', 'a/b', '.', 'x'.repeat(64)])('does not take [%s] for a warehouse', async (warehouse) => {
    expect(verdicts(await readAll(file(`${warehouse},A,,1,`), options))).toEqual(['WAREHOUSE 2 warehouse']);
  });

  it.each(['Receive', 'add', ' set', 'SET', '+'])('does not take [%s] for an operation', async (operation) => {
    expect(verdicts(await readAll(file(`,A,${operation},1,`), options))).toEqual(['OPERATION 2 operation']);
  });

  it('takes off by adjust only', async () => {
    expect(verdicts(await readAll(file(',A,receive,-1,', ',A,set,-1,', ',A,adjust,-1,', ',A,set,+0,'), options))).toEqual(['QUANTITY 2 quantity', 'QUANTITY 3 quantity']);
  });

  it('tells of each of its columns', async () => {
    expect(verdicts(await readAll(file('é,,add,x,'), options))).toEqual(['SKU 2 sku', 'QUANTITY 2 quantity', 'OPERATION 2 operation', 'WAREHOUSE 2 warehouse']);
  });

  it('goes to COPY with its warehouse, and whether it sets', async () => {
    const { text } = await copyAll(file('north,A\\,receive,5,', ',Ж,,-2,', `${'w'.repeat(63)},C,set,0,`), options);
    expect(text).toBe(`2\tA\\\\\t5\tnorth\tf\n3\tЖ\t-2\t\tf\n4\tC\t0\t${'w'.repeat(63)}\tt\n`);
  });
});

describe('the layout WAREHOUSES', () => {
  it('needs all of its columns, and says which are missing', async () => {
    const { report } = await readAll('sku,quantity,warehouse\nA,1,north\n', { layout });
    expect(verdicts({ report })).toEqual(['HEADER 1 operation']);
    expect(report.faults[0]?.message).toContain('sku, quantity, warehouse and operation');
  });

  it('is read as SINGLE, columns and all, when nobody asks for it', async () => {
    const { rows, report } = await readAll(file('north,A,set,5,', '-,A,none,-6,'));
    expect(rows).toEqual([{ line: 2, sku: 'A', quantity: 5 }, { line: 3, sku: 'A', quantity: -6 }]);
    expect(report.ignoredColumns).toEqual(['warehouse', 'operation', 'note']);
  });
});

describe('partial mode', () => {
  const bad = 'sku,quantity\nA,1\nB,x\nC,2\nD\n,\n,y\nE,3\n';

  it('hands out every good row, and reports the bad ones', async () => {
    const { rows, report } = await readAll(bad, { partial: true });
    expect(rows.map(({ line, sku }) => `${line} ${sku}`)).toEqual(['2 A', '4 C', '8 E']);
    expect(verdicts({ report })).toEqual(['QUANTITY 3 quantity', 'RAGGED 5', 'SKU 7 sku', 'QUANTITY 7 quantity']);
    expect(report).toMatchObject({ rows: 6, rejectedRows: 3, faultCount: 4, brokenOff: false });
    expect((await copyAll(bad, { partial: true })).text).toBe(asCopyText(rows));
  });

  it.each([
    ['a quote that is left open', 'sku,quantity\nA,1\nB,"2', 'QUOTING'],
    ['bytes that are no text', Buffer.from('sku,quantity\nA,1\nB\xff,2\n', 'latin1'), 'ENCODING'],
    ['a header line that is none', 'sku\nA\n', 'HEADER'],
    ['no rows', 'sku,quantity\n', 'EMPTY'],
  ])('is no help against %s', async (_, content, code) => {
    const { report } = await readAll(content, { partial: true });
    expect([report.faults.at(-1)?.code, report.brokenOff || code === 'EMPTY']).toEqual([code, true]);
  });

  it('stops handing out at what ends the reading', async () => {
    const { rows, report } = await readAll('sku,quantity\nA,"1\n'.padEnd(5_000_000, 'B,1\n'), { partial: true });
    expect(rows).toEqual([]);
    expect(report.brokenOff).toBe(true);
  });
});

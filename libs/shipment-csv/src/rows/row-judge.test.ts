import { describe, expect, it } from 'vitest';
import { readAll, verdicts } from '../testing/reading.fixture.js';

/** Each form of a row is read by the fast way, and once more by the parser. */
const both = [{ plainAheadBytes: 0 }, { plainAheadBytes: Infinity }];
const file = (...rows: string[]): string => `sku,quantity,note\n${rows.join('\n')}\n`;

describe.each(both)('a row, %o', (options) => {
  it('is blank, and passed over, when nothing but white space is in any of its fields', async () => {
    const { rows, report } = await readAll(file('', '  ', ',,', ' , ,', ',', '\t', '"","",""', 'A,1,', ',,,,,'), options);
    expect(verdicts({ report })).toEqual([]);
    expect(rows).toEqual([{ line: 9, sku: 'A', quantity: 1 }]);
    expect(report.rows).toBe(1);
  });

  it.each(['1', '+1', '01', '0000000001', '-2147483648', '2147483647', '+0', '-0', '999999999', '1000000000'])('takes %s for a quantity', async (quantity) => {
    const { rows, report } = await readAll(file(`A,${quantity},`), options);
    const value = Number(quantity) || 0; // no minus before a 0
    expect(rows).toEqual([{ line: 2, sku: 'A', quantity: value }]);
    expect([report.rows, report.zeroRows, report.faultCount]).toEqual([1, value === 0 ? 1 : 0, 0]);
  });

  it.each(['', ' 1', '1 ', '1.0', '1e3', '0x10', '١', '１', '+', '-', '--1', '2147483648', '-2147483649', '12345678901', '00000000001', '"1,000"', '=1', 'NaN', "'1"])('does not take [%s] for one', async (quantity) => {
    expect(verdicts(await readAll(file(`A,${quantity},`), options))).toEqual(['QUANTITY 2 quantity']);
  });

  it.each(['a', '00123', '1E10', '=1+1', '@SUM(A1)', '-SKU', '+1', 'a b', 'a\\b', '\\N', '\\.', 'Ж', 'e\u0301', '漢字', '😀', "it's", 'x'.repeat(200), 'Ж'.repeat(100)])('takes the SKU %s as it stands', async (sku) => {
    expect((await readAll(file(`${sku},1,`), options)).rows).toEqual([{ line: 2, sku, quantity: 1 }]);
  });

  it.each([
    '', ' a', 'a ', '\ta', 'a\u0001', 'a\u007f', 'a\u0085', 'a\u00ad', 'a\u00a0b', '\u3000a', 'a\u200bb', 'a\u200db', '\u202ea', 'a\u2028', 'a\u2060', 'a\ufeff', 'a\ufe0f', 'a\u034f', 'a\u115f', 'a\u3164', 'a\u2800', 'a\u{e0041}', 'a\u001ab', '\uffff',
    'x'.repeat(201), 'Ж'.repeat(101),
  ])('does not take the SKU %j', async (sku) => {
    expect(verdicts(await readAll(file(`${sku},1,`), options))).toEqual(['SKU 2 sku']);
  });

  it('may hold quotes, separators and nothing unseen in a quoted SKU either', async () => {
    expect((await readAll(file('"a,""b""",1,'), options)).rows).toEqual([{ line: 2, sku: 'a,"b"', quantity: 1 }]);
    expect(verdicts(await readAll(file('"a\nb",1,', 'B,x,'), options))).toEqual(['SKU 2 sku', 'QUANTITY 4 quantity']);
  });

  it('tells of both its columns, in a name as the header line has it', async () => {
    expect(verdicts(await readAll(' SKU ,Quantity\n,x\n', options))).toEqual(['SKU 2 SKU', 'QUANTITY 2 Quantity']);
  });

  it('with a fault is the last that is handed out before: nothing of the file may be applied', async () => {
    const { rows, report } = await readAll(file('A,x,', 'B,1,', 'C,2', 'D,y,'), options);
    expect(rows).toEqual([]);
    expect([report.rows, report.faultCount]).toEqual([4, 3]);
  });

  it('shows at most 64 characters of a field, and nothing unseen in the raw', async () => {
    const { report } = await readAll(file(`A,${'x'.repeat(63)}😀😀,`, 'B\u202e,1,'), options);
    expect(report.faults[0]?.message).toContain(`"${'x'.repeat(63)}😀…"`);
    expect(report.faults[1]?.message).toContain('"B\\u{202e}"');
  });
});

describe('many faults', () => {
  it('are listed up to the limit, and counted beyond it', async () => {
    const { report } = await readAll(`sku,quantity\n${'A,x\n'.repeat(250)}B,"1`);
    expect([report.faults.length, report.faultCount]).toEqual([100, 251]);
    expect(report.faults.at(-1)?.line).toBe(101);
  });
});

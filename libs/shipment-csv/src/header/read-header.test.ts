import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../shipment-limits.js';
import { readAll, verdicts } from '../testing/reading.fixture.js';

const message = async (file: string): Promise<string | undefined> => (await readAll(file)).report.faults[0]?.message;

describe('the header line', () => {
  it('may have its columns anywhere, in any case, in quotes, with spaces around them', async () => {
    const { rows, report } = await readAll('note, "QUANTITY" ,x,SkU\na,1,b,A\n'.replace(' "QUANTITY" ', '" Quantity "'));
    expect(rows).toEqual([{ line: 2, sku: 'A', quantity: 1 }]);
    expect(report.ignoredColumns).toEqual(['note', 'x']);
  });

  it('decides the separator alone, whatever the rows hold', async () => {
    const { rows, report } = await readAll('sku;quantity;a,b,c\nA,B,C;1;x\n');
    expect([report.separator, rows]).toEqual([';', [{ line: 2, sku: 'A,B,C', quantity: 1 }]]);
  });

  it.each(['\t', '|', ',', ';'])('follows a line sep=%s, in quotes or not, in any case', async (separator) => {
    for (const line of [`sep=${separator}`, `"SEP=${separator}"`]) {
      const { rows, report } = await readAll(`${line}\r\nsku${separator}quantity\r\nA${separator}1\r\n`);
      expect([report.separator, rows]).toEqual([separator, [{ line: 3, sku: 'A', quantity: 1 }]]);
    }
  });

  it('is refused below a sep= of anything else, or of another separator than its own', async () => {
    expect(verdicts(await readAll('sep=:\nsku:quantity\nA:1\n'))).toEqual(['HEADER 1']);
    expect(verdicts(await readAll('sep=\nsku,quantity\nA,1\n'))).toEqual(['HEADER 1']);
    expect(verdicts(await readAll('sep=;\nsku,quantity\nA,1\n'))).toEqual(['HEADER 2 sku']);
  });

  it('separated by bars needs the line sep=|, and says so', async () => {
    expect(await message('sku|quantity\nA|1\n')).toContain('sep=|');
  });

  it('that two separators could read is refused', async () => {
    expect(verdicts(await readAll('sku,quantity,x;sku;quantity\nA,1,x\n'))).toEqual(['HEADER 1']);
  });

  it('names no column twice, ignored ones included', async () => {
    expect(verdicts(await readAll('sku,Note,quantity,note \nA,x,1,y\n'))).toEqual(['HEADER 1 note']);
    expect(verdicts(await readAll('sku,SKU,quantity\nA,x,1\n'))).toEqual(['HEADER 1 SKU']);
  });

  it('names every column but the last ones, and nothing may stand below those', async () => {
    expect(verdicts(await readAll('sku,,quantity\nA,,1\n'))).toEqual(['HEADER 1']);
    expect((await readAll('sku,quantity,,\nA,1,,\nB,2, ,\n')).rows).toHaveLength(2);
    expect(verdicts(await readAll('sku,quantity,\nA,1,x\nB,2\n'))).toEqual(['RAGGED 2', 'RAGGED 3']);
  });

  it('may come after blank lines; its line counts from the top of the file', async () => {
    expect((await readAll('\n  \r\n,,\nsku,quantity\nA,1\n')).rows).toEqual([{ line: 5, sku: 'A', quantity: 1 }]);
    expect(verdicts(await readAll('\n\nsku,amount\nA,1\n'))).toEqual(['HEADER 3 quantity']);
  });

  it('may span lines within quotes', async () => {
    expect((await readAll('sku,"a\r\nb",quantity\nA,x,1\n')).rows).toEqual([{ line: 3, sku: 'A', quantity: 1 }]);
  });

  it('with a broken quote is refused where the quote is', async () => {
    expect(verdicts(await readAll('sku,quantity,19" note\nA,1,x\n'))).toEqual(['QUOTING 1']);
    expect(verdicts(await readAll('\nsku,quantity,"note\nA,1,x\n'))).toEqual(['QUOTING 2']);
  });

  it('is what is missing when something else stands above it', async () => {
    expect(await message('Report of May\nsku,quantity\nA,1\n')).toContain('missing: sku, quantity');
  });

  it('gives its names to faults and report in no more than 64 characters', async () => {
    const { report } = await readAll(`sku,quantity,${'n'.repeat(1000)}\nA,1,x"\n`);
    expect([report.faults[0]?.column, report.ignoredColumns]).toEqual(['n'.repeat(64), ['n'.repeat(64)]]);
  });

  it('has no more columns than the limit', async () => {
    const limits = { ...defaultLimits, maxColumns: 3 };
    expect(verdicts(await readAll('sku,quantity,a\nA,1,x\n', { limits }))).toEqual([]);
    expect(verdicts(await readAll('sku,quantity,a,b\nA,1,x,y\n', { limits }))).toEqual(['LIMIT 1']);
  });

  it('of endless length is refused, in quotes or not', async () => {
    const limits = { ...defaultLimits, maxFieldBytes: 100 };
    expect(verdicts(await readAll(`sku,quantity,${'n'.repeat(2000)}\n`, { limits }))).toEqual(['LIMIT 1']);
    expect(verdicts(await readAll(`sku,quantity,"${'n\n'.repeat(2000)}`, { limits }))).toEqual(['LIMIT 1']);
  });
});

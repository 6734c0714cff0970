import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import type { RowFault } from '../shipment.js';
import { readAll } from '../testing/reading.fixture.js';
import { rowFaultsCsv } from './row-faults-csv.js';

const cellsOf = (faults: readonly RowFault[]): string[][] => parse([...rowFaultsCsv(faults)].join(''), { record_delimiter: '\r\n' });

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('a cell %j of the export is no formula', (text) => {
  const cells = cellsOf([{ line: 2, column: text, code: 'SKU', message: text }]);
  expect(cells).toEqual([['line', 'column', 'code', 'message'], ['2', `'${text}`, 'SKU', `'${text}`]]);
});

it('every cell is quoted, so that no other separator splits one', () => {
  expect([...rowFaultsCsv([{ line: 2, column: 'a;b', code: 'SKU', message: 'x, "y"' }])][1]).toBe('"2","a;b","SKU","x, ""y"""\r\n');
});

it('a column named as a formula comes out of a real file neutralised', async () => {
  const { report } = await readAll('sku,quantity,=cmd\nA,1,"x"y\n');
  expect(cellsOf(report.faults)[1]?.slice(0, 3)).toEqual(['2', "'=cmd", 'QUOTING']);
});

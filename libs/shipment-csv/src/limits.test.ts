import { describe, expect, it } from 'vitest';
import { defaultLimits } from './shipment-limits.js';
import { readAll, verdicts } from './testing/reading.fixture.js';

const head = 'sku,quantity,note\n';

describe.each([{ plainAheadBytes: 0 }, { plainAheadBytes: Infinity }])('limits, %o', (options) => {
  it('on bytes: the file may have as many, not one more', async () => {
    const file = `${head}A,1,x\nB,1,y\n`;
    const exact = { ...defaultLimits, maxBytes: file.length };
    expect(verdicts(await readAll(file, { ...options, limits: exact }))).toEqual([]);
    const { report } = await readAll(`${file}C`, { ...options, limits: exact });
    expect(verdicts({ report })).toEqual(['LIMIT 4']);
    expect(report.bytes).toBe(file.length);
  });

  it('on rows: blank lines do not count, rows of quantity 0 do', async () => {
    const limits = { ...defaultLimits, maxRows: 2 };
    expect(verdicts(await readAll(`${head}A,1,\n\n,,\nB,0,\n\n`, { ...options, limits }))).toEqual([]);
    expect(verdicts(await readAll(`${head}A,1,\n\nB,0,\nC,1,\nD,x,\n`, { ...options, limits }))).toEqual(['LIMIT 5']);
  });

  it('on a field: as many bytes of UTF-8, quotes not counted, not one more', async () => {
    const limits = { ...defaultLimits, maxFieldBytes: 20 };
    for (const note of ['Ж'.repeat(10), `"${'""'.repeat(20)}"`, 'n'.repeat(20)]) expect(verdicts(await readAll(`${head}A,1,${note}\n`, { ...options, limits }))).toEqual([]);
    for (const note of ['Ж'.repeat(11), `"${'""'.repeat(21)}"`, 'n'.repeat(21)]) expect(verdicts(await readAll(`${head}A,1,${note}\n`, { ...options, limits }))).toEqual(['LIMIT 2 note']);
  });

  it('on the header line, as on a row: however it is cut, and whatever ends it', async () => {
    const limits = { ...defaultLimits, maxFieldBytes: 5 };
    const longest = `sku,quantity,${'n'.repeat(80 - 'sku,quantity,'.length)}`;
    for (const end of ['\n', '\r', '\r\n']) {
      for (const blockBytes of [4, 5, 7, 16, 81, 1 << 16]) {
        expect(verdicts(await readAll(`${longest}${end}A,1,x${end}`, { ...options, limits, blockBytes }))).toEqual([]);
        expect(verdicts(await readAll(`${longest}n${end}A,1,x${end}`, { ...options, limits, blockBytes }))).toEqual(['LIMIT 1']);
      }
    }
  });

  it('on a row: 16 times a field', async () => {
    const limits = { ...defaultLimits, maxFieldBytes: 20 };
    expect(verdicts(await readAll(`${head}A,1,x${',y'.repeat(157)}\n`, { ...options, limits }))).toEqual(['RAGGED 2']);
    expect(verdicts(await readAll(`${head}A,1,x${',y'.repeat(158)}\n`, { ...options, limits }))).toEqual(['LIMIT 2']);
    expect(verdicts(await readAll(`${head}A,1,x${',y'.repeat(158)}`, { ...options, limits, blockBytes: 16 }))).toEqual(['LIMIT 2']);
  });
});

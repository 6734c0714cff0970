import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../shipment-limits.js';
import { readAll, verdicts } from '../testing/reading.fixture.js';

const head = 'sku,quantity,note\n';
const limits = { ...defaultLimits, maxFieldBytes: 64 };

describe('quotes', () => {
  it.each([
    ['a quote within an unquoted field', 'A,1,19" rack\n'],
    ['a space before the opening quote', 'A,1, "x"\n'],
    ['text after the closing quote', 'A,1,"x"y\n'],
    ['a space after the closing quote', 'A,1,"x" \n'],
    ['a quote left open', 'A,1,"x\n'],
    ['three quotes', 'A,1,"""\n'],
    ['a quote at the very end', 'A,1,"'],
  ])('broken by %s are refused, and the rows before are not handed out after all', async (_, row) => {
    expect(verdicts(await readAll(`${head}${row}`))).toEqual(['QUOTING 2 note']);
    expect(verdicts(await readAll(`${head}B,1,\n"C",1,"a\r\nb"\n${row}D,1,"x"\n`))).toEqual(['QUOTING 5 note']);
  });

  it('are reported at the line where the field opens, in a row of several lines too', async () => {
    expect(verdicts(await readAll(`${head}A,1,x\n"B\r\n\rb",1,"open\nC,1,x\n`))).toEqual(['QUOTING 5 note']);
  });

  it('left open are QUOTING at that line however much they swallow, in little memory', async () => {
    const file = `${head}A,1,"open\n${'B,1,x\n'.repeat(100_000)}`;
    expect(verdicts(await readAll(file, { limits }))).toEqual(['QUOTING 2 note']);
    expect(verdicts(await readAll(`${file}C,1,"x"\n`, { limits }))).toEqual(['QUOTING 2 note']);
    expect(verdicts(await readAll(`${head}A,1,19" rack\n${'B,1,x\n'.repeat(100_000)}`, { limits }))).toEqual(['QUOTING 2 note']);
  });

  it('around a field that is only too long make it a LIMIT', async () => {
    for (const end of ['"\n', '"', '",\n', '"\r']) {
      expect(verdicts(await readAll(`${head}A,1,"${'long ""\n'.repeat(1000)}${end}`, { limits }))).toEqual(['LIMIT 2 note']);
    }
  });

  it('end the list of faults, as nothing after them can be read with any sense', async () => {
    expect(verdicts(await readAll(`${head}A,x,\nB,1,"y"z\nC,x,\n`))).toEqual(['QUANTITY 2 quantity', 'QUOTING 3 note']);
  });

  it('may stand around every field, with line ends of every kind within; later lines are physical ones', async () => {
    expect(verdicts(await readAll(`"sku","quantity","note"\r"A","1","a\nb\r\nc\rd"\r\n"B","x",""\r`))).toEqual(['QUANTITY 6 quantity']);
  });
});

import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { charsets, type Charset } from '../shipment.js';
import { readAll, verdicts } from '../testing/reading.fixture.js';
import { decoderOf } from './decoder.js';

const head = 'sku,quantity,note\nA,1,x\nB,1,';
const text = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? Buffer.from(part) : part)));

describe('bytes that are no text', () => {
  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
    ['U+FFFD', [0xef, 0xbf, 0xbd]],
    ['NUL', [0]],
  ])('%s: refused as ENCODING at its line, wherever blocks are cut', async (_, bad) => {
    for (const blockBytes of [4, 5, 6, 7, 1024]) {
      for (const file of [text(head, bad), text(head, bad, '\nC,1,x\n'), text(`${head}"a\r\n`, bad, '"\n')]) {
        const { rows, report } = await readAll(file, { blockBytes });
        expect(verdicts({ report })[0]).toBe(`ENCODING ${file.includes('\r') ? 4 : 3}`);
        expect(rows.length).toBeLessThanOrEqual(1);
      }
    }
  });

  it('come after the faults of the lines above them', async () => {
    expect(verdicts(await readAll(text('sku,quantity\n,1\nA,x\nB,', [0xff], '\n,,,')))).toEqual(['SKU 2 sku', 'QUANTITY 3 quantity', 'ENCODING 4']);
  });

  it('in UTF-16: an unpaired surrogate, an odd byte, a file without its mark, UTF-32', async () => {
    const utf16 = (line: string): Buffer => Buffer.from(`\ufeff${line}`, 'utf16le');
    expect(verdicts(await readAll(utf16('sku,quantity\nA,1\nB\ud800,1\n')))).toEqual(['ENCODING 3']);
    expect(verdicts(await readAll(Buffer.concat([utf16('sku,quantity\nA,1\n'), Buffer.from('A')])))).toEqual(['ENCODING 3']);
    expect(verdicts(await readAll(Buffer.from('sku,quantity\n', 'utf16le')))).toEqual(['ENCODING 1']);
    expect(verdicts(await readAll(Buffer.from('sku,quantity\n', 'utf16le'), { charset: 'utf-16' }))).toEqual(['ENCODING 1']);
    expect(verdicts(await readAll(Buffer.from([0xff, 0xfe, 0, 0, 0x73, 0, 0, 0])))).toEqual(['ENCODING 1']);
  });

  it('are those that a code page leaves undefined', async () => {
    expect(verdicts(await readAll(text(head, [0x81], '\n'), { charset: 'windows-1252' }))).toEqual(['ENCODING 3']);
    expect(verdicts(await readAll(text(head, [0xd2], '\n'), { charset: 'windows-1253' }))).toEqual(['ENCODING 3']);
  });

  it('are those of a mark that is not what was declared', async () => {
    expect(verdicts(await readAll('\ufeffsku,quantity\nA,1\n', { charset: 'windows-1251' }))).toEqual(['ENCODING 1']);
    expect(verdicts(await readAll(Buffer.from('\ufeffsku,quantity\nA,1\n', 'utf16le'), { charset: 'utf-8' }))).toEqual(['ENCODING 1']);
    expect(verdicts(await readAll('\ufeffsku,quantity\nA,1\n', { charset: 'utf-8' }))).toEqual([]);
  });

  it('is a mark alone, or Ctrl-Z alone, EMPTY', async () => {
    for (const file of ['\ufeff', '\ufeff\ufeff\n', '\u001a', '\n\u001a\u001a', 'sku,quantity\n\u001a']) expect(verdicts(await readAll(file))).toEqual(['EMPTY 1']);
  });
});

describe('every charset', () => {
  const codePages = charsets.filter((charset) => charset.startsWith('windows'));

  it.each(codePages)('%s is the code page of that name, not Latin-1', (charset) => {
    const letters = 'ЖДžščαאبș€'.split('').filter((letter) => iconv.decode(iconv.encode(letter, charset), charset) === letter);
    expect(letters.length).toBeGreaterThan(0);
    expect(decoderOf(charset, false).decode(iconv.encode(letters.join(''), charset), true).toString()).toBe(letters.join(''));
  });

  it.each<[Charset, boolean]>([['utf-8', false], ['utf-16', false], ['utf-16', true]])('%s (big-endian: %s) gives the same text however it is cut', (charset, bigEndian) => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat({ max: 40 })), (string, cuts) => {
      const whole = charset === 'utf-8' ? Buffer.from(string) : Buffer.from(string, 'utf16le');
      const bytes = bigEndian ? Buffer.from(whole).swap16() : whole;
      const decoder = decoderOf(charset, bigEndian);
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => Buffer.from(decoder.decode(bytes.subarray(at[index], end), index === at.length - 2)));
      expect(Buffer.concat(pieces).toString()).toBe(string);
    }));
  });
});

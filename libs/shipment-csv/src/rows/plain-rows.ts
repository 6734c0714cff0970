import { CR, LF } from '../records/bytes.js';
import { maxRowBytes } from '../shipment-limits.js';
import { rowTooLong } from './row-too-long.js';
import { maxSkuBytes } from './sku.js';
import type { RowJudge } from './row-judge.js';

const backslash = 0x5c;

/**
 * Reads whole lines without quotes straight from their bytes, several times as fast as the parser: without a quote, a record is a line, and a field is what
 * lies between separators. Rows that are plainly good take no string at all; every other goes to the judge as its fields, as if the
 * parser had read it. Answers the line after the last.
 */
export function plainRows(text: Buffer, from: number, to: number, firstLine: number, judge: RowJudge): number {
  const { separator, sku, quantity, width, names, warehouses } = judge.header;
  const separatorByte = separator.charCodeAt(0);
  const longest = judge.limits.maxFieldBytes;
  let line = firstLine;
  let at = from;
  while (at < to) {
    const start = at;
    let field = start;
    let column = 0;
    let skuFrom = 0;
    let skuTo = 0;
    let quantityFrom = 0;
    let quantityTo = 0;
    // Rows of warehouses are told apart by more than their bytes: each goes to the judge.
    let plain = warehouses === undefined;
    for (;;) {
      const byte = text[at];
      if (byte !== separatorByte && byte !== LF && byte !== CR) {
        at += 1;
        continue;
      }
      if (column === sku) {
        skuFrom = field;
        skuTo = at;
      } else if (column === quantity) {
        quantityFrom = field;
        quantityTo = at;
      } else if (column >= names.length && at > field) plain = false;
      column += 1;
      if (byte !== separatorByte) break;
      at += 1;
      field = at;
    }
    const end = at;
    at += text[at] === CR && text[at + 1] === LF ? 2 : 1;
    const amount = plain && column === width && end - start <= longest && isPlainSku(text, skuFrom, skuTo) ? plainQuantity(text, quantityFrom, quantityTo) : undefined;
    if (amount !== undefined) judge.plain(line, text, skuFrom, skuTo, amount);
    else if (end - start > maxRowBytes(judge.limits)) rowTooLong(judge, line, undefined);
    // An empty line is blank. Nothing but line ends is the cheapest way to a huge file, so that they must cost nothing.
    else if (end > start) judge.record(line, text.toString('utf8', start, end).split(separator));
    if (judge.faults.fatal) return line;
    line += 1;
  }
  return line;
}

/** 1 to 200 visible ASCII characters and inner spaces, no backslash: what is good without a closer look. */
function isPlainSku(text: Buffer, from: number, to: number): boolean {
  if (to === from || to - from > maxSkuBytes || text[from] === 0x20 || text[to - 1] === 0x20) return false;
  for (let at = from; at < to; at += 1) {
    const byte = text[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === backslash) return false;
  }
  return true;
}

/** A quantity of up to 9 digits, which is within int32 whatever they are; nothing where the judge must look. */
function plainQuantity(text: Buffer, from: number, to: number): number | undefined {
  const first = text[from];
  const negative = first === 0x2d;
  const digits = negative || first === 0x2b ? from + 1 : from;
  if (to === digits || to - digits > 9) return undefined;
  let value = 0;
  for (let at = digits; at < to; at += 1) {
    const digit = (text[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = 10 * value + digit;
  }
  return negative && value !== 0 ? -value : value;
}

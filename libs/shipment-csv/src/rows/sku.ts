import { excerpt } from '../faults/excerpt.js';

/** An SKU's longest, in bytes of UTF-8: what an index key may well hold, and more than any numbering scheme has. */
export const maxSkuBytes = 200;

/**
 * Nobody can see them, so that two SKUs that look the same would be two: control and format characters, unpaired surrogates, every space but
 * U+0020, line separators, and the letters and signs that are drawn as nothing (Unicode: Default_Ignorable_Code_Point, and the blank braille).
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;

/** What is wrong with an SKU, or nothing. It is text, byte for byte: never trimmed, folded, normalised, or taken for a number or a formula. */
export function skuFault(sku: string): string | undefined {
  if (sku === '') return 'the SKU is empty: fill it in, or remove the row';
  if (Buffer.byteLength(sku) > maxSkuBytes) return `the SKU ${excerpt(sku)} is longer than ${maxSkuBytes} bytes`;
  if (unseen.test(sku)) return `the SKU ${excerpt(sku)} holds a character that cannot be seen: remove it`;
  if (sku.startsWith(' ') || sku.endsWith(' ')) return `the SKU ${excerpt(sku)} begins or ends with a space: remove it`;
  return undefined;
}

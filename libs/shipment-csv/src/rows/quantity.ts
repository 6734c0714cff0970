import { excerpt } from '../faults/excerpt.js';

const grammar = /^[+-]?[0-9]{1,10}$/;

/** An int32, or what is wrong. `[+-]?[0-9]{1,10}` and nothing else: no space, decimal point, thousands separator, exponent or formula. */
export function quantityOf(field: string): number | string {
  if (!grammar.test(field)) return `${excerpt(field)} is not a quantity: write a whole number, as in 12 or -3`;
  const quantity = Number(field);
  if (quantity < -2_147_483_648 || quantity > 2_147_483_647) return `${excerpt(field)} is out of range: -2147483648 to 2147483647`;
  // Of -0 as well.
  return quantity === 0 ? 0 : quantity;
}

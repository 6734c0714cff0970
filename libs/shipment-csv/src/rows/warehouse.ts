import { excerpt } from '../faults/excerpt.js';

const grammar = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Whether `name` names a warehouse; the empty name is the default one's. */
export const isWarehouse = (name: string): boolean => name === '' || grammar.test(name);

/** What is wrong with a warehouse, or nothing. Like an SKU it is text, byte for byte: never trimmed or folded. */
export const warehouseFault = (field: string): string | undefined =>
  isWarehouse(field) ? undefined : `${excerpt(field)} is not a warehouse: write 1 to 63 letters without accents, digits, dots, hyphens or underscores, beginning with a letter or digit, or leave the field empty for the default one`;

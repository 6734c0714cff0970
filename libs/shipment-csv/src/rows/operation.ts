import { excerpt } from '../faults/excerpt.js';
import { type Operation, operations } from '../shipment.js';

/** The operation of a field, exact, lower case; undefined: it names none. */
export const operationOf = (field: string): Operation | undefined => (field === '' ? 'adjust' : operations.find((known) => known === field));

export const operationFault = (field: string): string => `${excerpt(field)} is not an operation: write receive, adjust or set, or leave the field empty, which means adjust`;

/** What is wrong with a quantity that its operation forbids, or nothing: only an adjustment takes off. */
export const quantityFaultOf = (operation: Operation, quantity: number): string | undefined =>
  operation === 'adjust' || quantity >= 0 ? undefined : `"${quantity}" is below 0, and ${operation} takes no such quantity: write 0 or more, or adjust`;

import { nameOf } from '../header/header.js';
import { maxRowBytes } from '../shipment-limits.js';
import type { RowJudge } from './row-judge.js';

/** `field`: the one that does not end, when a quoted one is to blame. */
export function rowTooLong({ faults, header, limits }: RowJudge, line: number, field: number | undefined): void {
  const column = field === undefined ? '' : nameOf(header, field);
  faults.end(line, column, 'LIMIT', `the row is longer than ${maxRowBytes(limits)} bytes: shorten its fields, or leave columns out`);
}

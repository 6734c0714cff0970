import { lineEndsWithin } from '../records/line-ends.js';
import { parseRecords } from '../records/parse-records.js';
import { quotingMessage } from '../records/quoting-message.js';
import { nameOf } from '../header/header.js';
import type { RowJudge } from './row-judge.js';

/** Reads whole records of any kind through the parser. Answers the line after the last. */
export function parsedRows(text: Buffer, firstLine: number, judge: RowJudge): number {
  const { records, fault } = parseRecords(text, judge.header.separator);
  let line = firstLine;
  for (const fields of records) {
    judge.record(line, fields);
    if (judge.faults.fatal) return line;
    line += 1 + lineEndsWithin(fields);
  }
  if (fault !== undefined) judge.faults.end(line + fault.linesBefore, nameOf(judge.header, fault.field), 'QUOTING', quotingMessage(fault));
  return line;
}

import { CsvError, parse, type Options } from 'csv-parse/sync';
import { CR, LF, QUOTE } from './bytes.js';

export type QuotingProblem = 'left open' | 'text after the closing quote' | 'quote within a field that does not begin with one';

/** Where RFC 4180 is broken: in the record after those that were read. */
export interface QuotingFault {
  readonly problem: QuotingProblem;
  /** Index of the field within its record. */
  readonly field: number;
  /** Line ends between the record's start and that field's. */
  readonly linesBefore: number;
}

export interface ParsedRecords {
  readonly records: readonly (readonly string[])[];
  readonly fault?: QuotingFault;
}

const problems: ReadonlyMap<string, QuotingProblem> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'left open'],
  ['CSV_INVALID_CLOSING_QUOTE', 'text after the closing quote'],
  ['INVALID_OPENING_QUOTE', 'quote within a field that does not begin with one'],
]);

/** Reads whole records by RFC 4180, with LF, CRLF and CR as line ends; a blank line is a record of one empty field. `text` holds no NUL, which the parser takes for an end. */
export function parseRecords(text: Buffer, separator: string): ParsedRecords {
  const options: Options = { delimiter: separator, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: false, bom: false };
  try {
    return { records: parse(text, options) };
  } catch (error) {
    const fault = error instanceof CsvError ? problems.get(error.code) : undefined;
    if (fault === undefined) throw error;
  }
  return recordsBeforeFault(text, separator, options);
}

/** Once per file at most: a fault of quoting ends the reading. The parser only hands out what came before it through this callback, which makes it five times slower. */
function recordsBeforeFault(text: Buffer, separator: string, options: Options): ParsedRecords {
  const records: string[][] = [];
  try {
    parse(text, { ...options, on_record: (record: string[]) => void records.push(record) });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const field = typeof error['index'] === 'number' ? error['index'] : 0;
    const problem = problems.get(error.code) ?? 'left open';
    return { records, fault: { problem, field, linesBefore: linesBeforeField(text, records.length, separator.charCodeAt(0), field) } };
  }
  throw new Error('a fault of quoting was found once and not again');
}

/** Counts line ends, as the parser takes a CRLF within quotes for two. All fields before the one in question are well-formed. */
function linesBeforeField(text: Buffer, record: number, separator: number, field: number): number {
  let inQuotes = false;
  let records = 0;
  let fields = 0;
  let lines = 0;
  for (let at = 0; at < text.length && (records < record || fields < field); at += 1) {
    const byte = text[at];
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if (byte === separator && !inQuotes) fields += 1;
    else if (byte === LF || byte === CR) {
      if (byte === CR && text[at + 1] === LF) at += 1;
      lines += 1;
      if (inQuotes) continue;
      records += 1;
      fields = 0;
      lines = 0;
    }
  }
  return lines;
}

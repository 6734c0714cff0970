import type { FaultCode, Layout } from '../shipment.js';
import { excerpt } from '../faults/excerpt.js';
import { type ParsedRecords, parseRecords } from '../records/parse-records.js';
import { quotingMessage } from '../records/quoting-message.js';
import { columnsOf, foldedName, type Header } from './header.js';
import { declaredOnlySeparator, foundSeparators } from './separator.js';

export interface HeaderFault {
  readonly code: FaultCode;
  readonly column: string;
  readonly message: string;
  /** Line ends between the header's start and the fault. */
  readonly linesBefore: number;
}

interface Candidate {
  readonly separator: string;
  readonly parsed: ParsedRecords;
  readonly names: readonly string[];
}

/**
 * Reads the header record. The separator is the one by which it has all columns of the layout; rows are never looked at, so that no comma
 * in a note can change how a file is read.
 */
export function readHeader(record: Buffer, declared: string | undefined, { maxColumns, layout }: { readonly maxColumns: number; readonly layout: Layout }): Header | HeaderFault {
  const candidates = (declared === undefined ? foundSeparators : [declared]).map((separator) => candidate(record, separator));
  const required = columnsOf(layout);
  const fitting = candidates.filter(({ names }) => isComplete(names, required));
  const [only, other] = fitting;
  if (other !== undefined) return fault('HEADER', '', 'the header line can be read by more than one separator: write the line sep=, (or ; or a tab) above it');
  if (only !== undefined) return header(only, maxColumns, layout);
  return explain(record, declared, candidates, required);
}

function candidate(record: Buffer, separator: string): Candidate {
  const parsed = parseRecords(record, separator);
  return { separator, parsed, names: parsed.fault === undefined ? (parsed.records[0] ?? []).map((name) => name.trim()) : [] };
}

const isComplete = (names: readonly string[], columns: readonly string[]): boolean => columns.every((required) => names.some((name) => foldedName(name) === required));

function header({ separator, names }: Candidate, maxColumns: number, layout: Layout): Header | HeaderFault {
  const folded = names.map(foldedName);
  if (names.length > maxColumns) return fault('LIMIT', '', `the header line has ${names.length} columns; at most ${maxColumns} are read: leave out those that are not needed`);
  const named = folded.findLastIndex((name) => name !== '') + 1;
  const unnamed = folded.slice(0, named).indexOf('');
  if (unnamed >= 0) return fault('HEADER', '', `column ${unnamed + 1} has no name: name it, or remove it`);
  const repeated = folded.slice(0, named).findIndex((name, column) => folded.indexOf(name) !== column);
  const twice = names[repeated];
  if (twice !== undefined) return fault('HEADER', twice, `the column ${excerpt(twice)} stands in the header line twice: rename or remove one`);
  return {
    separator, names: names.slice(0, named), width: names.length, sku: folded.indexOf('sku'), quantity: folded.indexOf('quantity'),
    warehouses: layout === 'single' ? undefined : { warehouse: folded.indexOf('warehouse'), operation: folded.indexOf('operation') },
  };
}

function explain(record: Buffer, declared: string | undefined, candidates: readonly Candidate[], required: readonly string[]): HeaderFault {
  const readable = candidates.filter(({ parsed }) => parsed.fault === undefined).toSorted((a, b) => b.names.length - a.names.length)[0];
  const quoting = candidates[0]?.parsed.fault;
  if (readable === undefined && quoting !== undefined) {
    return { code: 'QUOTING', column: '', message: quotingMessage(quoting), linesBefore: quoting.linesBefore };
  }
  if (declared === undefined && isComplete(candidate(record, declaredOnlySeparator).names, required)) {
    return fault('HEADER', '', 'the columns are separated by |: separate them by a comma, a semicolon or a tab, or write the line sep=| above the header line');
  }
  const names = readable?.names ?? [];
  const missing = required.filter((column) => !names.some((name) => foldedName(name) === column));
  return fault('HEADER', missing[0] ?? '', `the first line must be the header line and name the columns ${required.slice(0, -1).join(', ')} and ${required.at(-1)}, separated by ${declared === undefined ? 'a comma, a semicolon or a tab' : excerpt(declared)}; missing: ${missing.join(', ')}`);
}

const fault = (code: FaultCode, column: string, message: string): HeaderFault => ({ code, column, message, linesBefore: 0 });

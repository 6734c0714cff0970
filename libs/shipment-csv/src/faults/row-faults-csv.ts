import { stringify } from 'csv-stringify/sync';
import type { RowFault } from '../shipment.js';

/**
 * Faults as a CSV file (RFC 4180, CRLF), line by line with its header. Cells that a spreadsheet would take for a formula, those that begin
 * with `=`, `+`, `-`, `@`, a tab or a CR (OWASP, "CSV Injection"), get an apostrophe in front. Every cell is quoted, so that no
 * separator of another locale splits one.
 */
export function* rowFaultsCsv(faults: Iterable<RowFault>): Iterable<string> {
  yield line(['line', 'column', 'code', 'message']);
  for (const fault of faults) yield line([String(fault.line), fault.column, fault.code, fault.message]);
}

const line = (cells: readonly string[]): string => stringify([[...cells]], { escape_formulas: true, quoted: true, record_delimiter: '\r\n' });

import type { QuotingFault } from './parse-records.js';

const messages = {
  'left open': 'a quote opens here and is never closed: close it, or remove it',
  'text after the closing quote': 'text follows the closing quote of the field that begins here: double the quotes within it, as in "19"" rack"',
  'quote within a field that does not begin with one': 'a quote stands within a field that does not begin with one: put the field in quotes and double those within it, as in "19"" rack"',
} as const;

/** What to mend; nothing of the field, as nobody can tell where it ends. */
export const quotingMessage = (fault: QuotingFault): string => messages[fault.problem];

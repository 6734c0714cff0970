import prettyBytes from 'pretty-bytes';
import type { Terminal } from '../terminal.js';
import type { SavedTable, Watcher } from './snapshot.js';

const everyMs = 5_000;

/** A line for each table that has rows when it is done, and every few seconds for one that takes longer. On standard error: what is asked for goes to the other. */
export function progressOn(terminal: Terminal, now: () => number = () => performance.now()): Watcher {
  let told = now();
  return {
    bytes: ({ database, table, bytes }) => {
      if (now() - told < everyMs) return;
      told = now();
      terminal.err(`  ${database} ${table} ${prettyBytes(bytes)} so far`);
    },
    table: (saved) => {
      if (saved.rows > 0) terminal.err(line(saved));
    },
  };
}

const line = ({ database, table, rows, bytes }: SavedTable): string => `  ${database.padEnd(7)} ${table.padEnd(36)} ${rows.toLocaleString('en').padStart(11)} rows  ${prettyBytes(bytes)}`;
